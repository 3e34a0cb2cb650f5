//! Builds the page of `web/` with the machine's Node and puts it into the program.
//!
//! npm works in a copy under `OUT_DIR`: the sources stay as they are, and two builds at once do not
//! meet. Without Node the build succeeds all the same, and `maxtile serve` says what is missing.
//! `MAXTILE_WEB=require` makes that an error, `MAXTILE_WEB=off` leaves the page out.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What of `web/` the page is made of. Tests and what npm installs are not.
const INPUTS: [&str; 8] = [
    "src",
    "public",
    "index.html",
    "package.json",
    "package-lock.json",
    "vite.config.ts",
    "tsconfig.json",
    ".npmrc",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=MAXTILE_WEB");
    name_the_commit();
    let variable = |name| std::env::var(name).unwrap_or_default();
    let out = PathBuf::from(variable("OUT_DIR"));
    let web = Path::new(&variable("CARGO_MANIFEST_DIR")).join("../../web");
    let wish = variable("MAXTILE_WEB");
    let feature = std::env::var_os("CARGO_FEATURE_WEB").is_some();
    let built = if !feature {
        Err("it was built without the cargo feature web".to_owned())
    } else if wish == "off" {
        Err("it was built with MAXTILE_WEB=off".to_owned())
    } else {
        build(&web, &out.join("web"))
    };
    let table = match built.and_then(|dist| table(&dist, &out)) {
        Ok(table) => table,
        Err(why) if wish == "require" => {
            println!("cargo::error=the page is required, but {why}");
            std::process::exit(1);
        }
        Err(why) => {
            if feature && wish != "off" {
                println!("cargo::warning=maxtile gets no page: {why}");
                // A path that never exists: the next build tries again.
                println!("cargo::rerun-if-changed={}", out.join("no page yet").display());
            }
            format!(
                "pub(super) const MISSING: Option<&str> = Some({why:?});\n\
                 pub(super) const FILES: &[File] = &[];\n"
            )
        }
    };
    let file = out.join("pages.rs");
    // The same text again must not make the program compile again.
    if fs::read_to_string(&file).ok().as_deref() != Some(&table) {
        fs::write(&file, table).expect("OUT_DIR can be written to");
    }
}

/// Programs for others carry the commit they were built from; it would only make other builds slow.
fn name_the_commit() {
    println!("cargo::rerun-if-env-changed=MAXTILE_COMMIT");
    if std::env::var_os("MAXTILE_COMMIT").is_some()
        || std::env::var("PROFILE").as_deref() != Ok("release")
    {
        return;
    }
    let git = |arguments: &[&str]| {
        let run = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(run.stdout).ok()?;
        (run.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
    };
    let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) else { return };
    println!("cargo::rustc-env=MAXTILE_COMMIT={commit}");
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"])
        && Path::new(&log).exists()
    {
        println!("cargo::rerun-if-changed={log}");
    }
}

/// Builds the page in a copy and gives the folder with the result.
fn build(web: &Path, copy: &Path) -> Result<PathBuf, String> {
    if !web.join("package-lock.json").exists() {
        return Err("the folder web/ was not there when it was built".to_owned());
    }
    let failed = |cause: io::Error| format!("copying web/ failed: {cause}");
    fs::create_dir_all(copy).map_err(failed)?;
    for name in INPUTS {
        let (from, to) = (web.join(name), copy.join(name));
        remove(&to).map_err(failed)?;
        if from.exists() {
            println!("cargo::rerun-if-changed={}", from.display());
            copy_all(&from, &to).map_err(failed)?;
        }
    }
    // What was installed stays as long as the lock does.
    let lock = fs::read(copy.join("package-lock.json")).map_err(failed)?;
    let stamp = copy.join("node_modules/.maxtile-lock");
    if fs::read(&stamp).ok().as_ref() != Some(&lock) {
        npm(copy, &["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"])?;
        fs::write(&stamp, &lock).map_err(failed)?;
    }
    remove(&copy.join("dist")).map_err(failed)?;
    npm(copy, &["run", "build"])?;
    Ok(copy.join("dist"))
}

fn npm(folder: &Path, arguments: &[&str]) -> Result<(), String> {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    // NODE_ENV=production would leave out what the build needs.
    let run = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env_remove("NODE_ENV")
        .output()
        .map_err(|_| "Node (npm) was not there when it was built".to_owned())?;
    if run.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&run.stderr) + String::from_utf8_lossy(&run.stdout);
    let said = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("npm warn") && !line.starts_with('>'));
    let said: Vec<&str> = said.take(4).collect();
    Err(format!("npm {} failed: {}", arguments[0], said.join(" ")))
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    }
}

fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        return fs::copy(from, to).map(|_| ());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy_all(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// The files as Rust text: name, bytes, the same compressed, and a tag that changes with them.
fn table(dist: &Path, out: &Path) -> Result<String, String> {
    let mut files = Vec::new();
    list(dist, "", &mut files)
        .map_err(|cause| format!("reading the built page failed: {cause}"))?;
    files.sort();
    if !files.iter().any(|name| name == "/index.html") {
        return Err("the built page has no index.html".to_owned());
    }
    let packed = out.join("packed");
    let failed = |cause: io::Error| format!("compressing the page failed: {cause}");
    remove(&packed).and_then(|()| fs::create_dir_all(&packed)).map_err(failed)?;
    let mut text =
        "pub(super) const MISSING: Option<&str> = None;\npub(super) const FILES: &[File] = &[\n"
            .to_owned();
    for (number, name) in files.iter().enumerate() {
        let path = dist.join(&name[1..]);
        let bytes = fs::read(&path).map_err(failed)?;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        let gzip = encoder.write_all(&bytes).and_then(|()| encoder.finish()).map_err(failed)?;
        let mut small = "None".to_owned();
        if gzip.len() < bytes.len() * 9 / 10 {
            let file = packed.join(format!("{number}.gz"));
            fs::write(&file, gzip).map_err(failed)?;
            small = format!("Some(include_bytes!({:?}))", file.display().to_string());
        }
        let tag = format!("\"{:016x}\"", fnv(&bytes));
        let _ = writeln!(
            text,
            "    File {{ name: {name:?}, media: {:?}, tag: {tag:?}, bytes: include_bytes!({:?}), gzip: {small} }},",
            media(name),
            path.display().to_string(),
        );
    }
    text.push_str("];\n");
    Ok(text)
}

fn list(folder: &Path, prefix: &str, files: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            list(&entry.path(), &name, files)?;
        } else {
            files.push(name);
        }
    }
    Ok(())
}

fn media(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// FNV-1a: a tag needs to differ when the bytes do, and nobody tries to make it not.
fn fnv(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

//! The study of tuples by random subsets as part of an experiment.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use maxtile_game::Shape;
use maxtile_ntuple::enumerate;
use serde::Deserialize;

use super::describe::Utility;
use crate::files::write_atomically;
use crate::tuple_figure::{DrawnTuple, tuples_svg};
use crate::tuple_study::{Judged, Study, Trial};

/// How large the study is at a scale.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StudyScale {
    /// How many cells the tuples have.
    pub cells: usize,
    /// How many networks learn.
    pub networks: u64,
    /// How many tuples each has.
    pub choose: usize,
    /// How many games each learns from.
    pub games: u64,
    /// How many games each is judged by.
    pub eval_games: u64,
    /// The learning rate, shared by the active weights.
    pub rate: f64,
}

impl StudyScale {
    /// The study over all connected tuples of that size.
    pub fn study(&self) -> Study {
        Study {
            pool: enumerate(Shape::CLASSIC, self.cells, true),
            networks: self.networks,
            choose: self.choose,
            games: self.games,
            eval_games: self.eval_games,
            rate: self.rate,
            seed: 1,
        }
    }
}

/// The networks of a study that are done, from a file of lines of JSON; what does not belong to
/// this study is left out.
pub fn read_trials(study: &Study, path: &Path) -> io::Result<Vec<Trial>> {
    let text = match std::fs::read_to_string(path) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => String::new(),
        other => other?,
    };
    let trials = text.lines().filter_map(|line| serde_json::from_str::<Trial>(line).ok());
    Ok(trials.filter(|trial| study.owns(trial)).collect())
}

/// Runs what is missing of a study, each network written down when it is done; `told` hears how
/// many are.
pub fn run_study(
    study: &Study,
    path: &Path,
    threads: usize,
    stop: &AtomicBool,
    told: &mut (dyn FnMut(u64) + Send),
) -> io::Result<Vec<Trial>> {
    let mut trials = read_trials(study, path)?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    // Written anew: a line that was cut off would spoil the next one.
    let mut text = String::new();
    for trial in &trials {
        text.push_str(&serde_json::to_string(trial).map_err(io::Error::other)?);
        text.push('\n');
    }
    write_atomically(path, text.as_bytes())?;
    let mut file = std::fs::OpenOptions::new().append(true).open(path)?;
    let (done, mut failed) = (trials.clone(), None);
    let mut report = |trial: Trial| {
        let line = serde_json::to_string(&trial).map_err(io::Error::other);
        failed = line.and_then(|line| writeln!(file, "{line}")).err();
        trials.push(trial);
        told(trials.len() as u64);
        failed.is_none()
    };
    let learned = study.run(&done, threads, stop, &mut report);
    learned.map_err(|cause| io::Error::other(cause.to_string()))?;
    trials.sort_by_key(|trial| trial.network);
    failed.map_or(Ok(trials), Err)
}

/// The ranking as a section of a page, beside what was published; the picture's name is given.
pub fn ranking_section(
    study: &Study,
    trials: &[Trial],
    published: &[Utility],
    picture: &str,
) -> String {
    let ranked = study.rank(trials);
    let mut text = String::new();
    let _ = writeln!(
        text,
        "\n## Which tuples\n\n{} of {} networks, each of {} of the {} connected tuples, {} games of TD \
         each, judged by {} games. A tuple's score is the mean score of the networks it was in; its \
         part is its mean share of the values of the afterstates they chose.\n\n![tuples from the best to \
         the worst]({picture})\n\n| rank | cells | networks | score | ± | part |\n|---|---|---|---|---|---|",
        trials.len(),
        study.networks,
        study.choose,
        study.pool.len(),
        study.games,
        study.eval_games,
    );
    for (place, judged) in ranked.iter().enumerate() {
        let Judged { tuple, networks, score, ci95, part } = judged;
        let cells: Vec<String> = study.pool[*tuple].iter().map(u8::to_string).collect();
        let half = ci95.map_or("–".to_owned(), |half| format!("{half:.0}"));
        let _ = writeln!(
            text,
            "| {} | {} | {networks} | {score:.0} | {half} | {part:.0} |",
            place + 1,
            cells.join(",")
        );
    }
    text.push_str(&utilities(study, &ranked, published));
    text
}

/// The paper's numbers of single tuples beside our parts, as multiples of the worst: the sizes of
/// tuples and networks differ, so only the spread can be compared.
fn utilities(study: &Study, ranked: &[Judged], published: &[Utility]) -> String {
    let mut parts: Vec<f64> = ranked.iter().map(|judged| judged.part).collect();
    parts.sort_by(|a, b| b.total_cmp(a));
    let mut text = String::new();
    if published.is_empty() || parts.is_empty() {
        return text;
    }
    let _ = writeln!(
        text,
        "\nThe paper gives one number for each tuple without saying which; by its scale it is a tuple's part \
         of the value.\n\n| tuples | best four | worst four | best : worst |\n|---|---|---|---|"
    );
    let mut line = |name: &str, best: &[f64], worst: &[f64]| {
        let listed = |numbers: &[f64]| {
            numbers.iter().map(|number| format!("{number:.0}")).collect::<Vec<_>>().join(" · ")
        };
        let ratio = match (best.first(), worst.last()) {
            (Some(best), Some(worst)) if *worst > 0.0 => format!("{:.1}", best / worst),
            _ => "–".to_owned(),
        };
        let _ = writeln!(text, "| {name} | {} | {} | {ratio} |", listed(best), listed(worst));
    };
    for known in published {
        line(&format!("paper, {} cells", known.cells), &known.best, &known.worst);
    }
    let cells = study.pool.first().map_or(0, Vec::len);
    let four = parts.len().min(4);
    line(&format!("ours, {cells} cells"), &parts[..four], &parts[parts.len() - four..]);
    text
}

/// The tuples drawn from the best to the worst.
pub fn ranking_svg(study: &Study, trials: &[Trial]) -> Result<String, crate::plot::PlotError> {
    let drawn = study.rank(trials).into_iter().map(|judged| DrawnTuple {
        cells: study.pool[judged.tuple].clone(),
        label: format!("{:.0}", judged.score),
    });
    tuples_svg(Shape::CLASSIC, &drawn.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_runs() {
        let scale =
            StudyScale { cells: 3, networks: 4, choose: 2, games: 20, eval_games: 5, rate: 0.1 };
        let study = scale.study();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/trials.jsonl");
        let stop = AtomicBool::new(false);
        let run = || {
            let mut told = 0;
            let trials = run_study(&study, &path, 1, &stop, &mut |_| told += 1).unwrap();
            (trials, told)
        };
        let (whole, first) = run();
        assert_eq!((whole.len(), first), (4, 4));
        // The last line is cut off, as by a kill; a line of another study is there.
        let text = std::fs::read_to_string(&path).unwrap();
        let other = text.lines().next().unwrap().replace("\"network\":0", "\"network\":3");
        std::fs::write(&path, format!("{other}\n{}", &text[..text.len() - 9])).unwrap();
        assert_eq!(run(), (whole.clone(), 1));
        assert_eq!(run(), (whole.clone(), 0));
        let published = Utility { cells: 6, best: vec![30.0, 20.0], worst: vec![11.0, 10.0] };
        let section = ranking_section(&study, &whole, &[published], "x.svg");
        assert!(
            section.contains("| paper, 6 cells | 30 · 20 | 11 · 10 | 3.0 |\n| ours, 3 cells |")
        );
        let section = ranking_section(&study, &whole, &[], "x.svg");
        assert_eq!(
            section.lines().filter(|l| l.starts_with("| ")).count(),
            1 + study.rank(&whole).len()
        );
    }
}

//! The drawn figure against the one in git. `MAXTILE_BLESS=1` writes what is drawn now.

use maxtile_lab::{CurvePoint, Figure, Mark, Series, svg};

fn curve(label: &str, points: usize, top: f64, band: f64) -> Series {
    let point = |k: usize| {
        let x = (k + 1) as f64 * 1_000_000.0 / points as f64;
        let mean = top * x / (x + 150_000.0);
        CurvePoint { x, mean, low: mean * (1.0 - band), high: mean * (1.0 + band) }
    };
    Series { label: label.to_owned(), points: (0..points).map(point).collect() }
}

fn figure() -> Figure {
    Figure {
        title: "Learning <curves> & \"marks\"".to_owned(),
        x_label: "games".to_owned(),
        y_label: "mean score, thousands".to_owned(),
        log_x: false,
        log_y: false,
        series: vec![
            curve("td-4x6", 40, 250.0, 0.03),
            curve("tc-4x6", 25, 300.0, 0.02),
            curve("no interval", 50, 180.0, 0.0),
            curve("fourth", 10, 120.0, 0.05),
            curve("fifth", 10, 80.0, 0.05),
        ],
        marks: vec![
            Mark { x: 1_000_000.0, y: 234.136, label: "a paper, 234k".to_owned() },
            Mark { x: 100_000.0, y: 51.32, label: "another".to_owned() },
        ],
    }
}

fn check(name: &str, figure: &Figure) {
    let drawn = svg(figure).unwrap();
    assert_eq!(drawn, svg(figure).unwrap(), "not the same twice");
    let path = format!("{}/tests/golden/{name}.svg", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("MAXTILE_BLESS").is_some() {
        std::fs::write(&path, &drawn).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(drawn == golden, "{name}.svg differs; MAXTILE_BLESS=1 writes it anew");
}

#[test]
fn golden_figures() {
    check("curves", &figure());
    check("curves-log", &Figure { log_x: true, title: String::new(), ..figure() });
}

#[test]
fn odd_figures_are_drawn_too() {
    for log_x in [false, true] {
        for points in [0, 1] {
            let series = vec![curve("", points, 1.0, 0.5)];
            assert!(svg(&Figure { series, log_x, ..Figure::default() }).is_ok());
        }
        let zero = CurvePoint { x: 0.0, mean: 0.0, low: 0.0, high: 0.0 };
        let series = vec![Series { label: "x".repeat(300), points: vec![zero; 3] }];
        assert!(svg(&Figure { series, log_x, ..Figure::default() }).is_ok());
    }
}

/// A PNG of the right size, with the colours of both curves and with letters where the axes have
/// their labels.
#[test]
fn a_png_shows_curves_and_letters() {
    let bytes = maxtile_lab::png(&figure()).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height, info.color_type), (1600, 1000, png::ColorType::Rgb));
    let pixels = pixels.as_chunks::<3>().0;
    let count = |color: [u8; 3]| pixels.iter().filter(|pixel| **pixel == color).count();
    assert!(count([0, 114, 178]) > 500 && count([213, 94, 0]) > 500);
    let left = |row: &[[u8; 3]]| row[..120].iter().filter(|pixel| pixel[0] < 128).count();
    assert!(pixels.chunks(1600).map(left).sum::<usize>() > 500, "no letters beside the axis");
}

//! Draws a figure as SVG or PNG. The same figure gives the same bytes. The fonts of an SVG are left
//! to the viewer; a PNG has its own inside the program, so that it looks the same on every machine.
//!
//! The colours are those of Okabe and Ito, which people with any colour vision can tell apart; each
//! curve also has a marker of its own for black and white.

use std::fmt::Display;
use std::sync::Once;

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::figure::{Axis, Figure, Mark, Series};

/// Okabe and Ito's palette, the darkest first.
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(60, 60, 60),
];
const INK: RGBColor = RGBColor(40, 40, 40);
const PALE: RGBColor = RGBColor(225, 225, 225);

// Large, since the backend rounds to whole pixels; viewers scale it down.
const SIZE: (u32, u32) = (1600, 1000);
const MARGIN: u32 = 30;
const TEXT: u32 = 34;
const MARKER: i32 = 9;
const LINE_HEIGHT: i32 = 44;
/// Markers on one curve: enough to know it by, few enough to see it.
const MARKERS: usize = 12;
/// Longer names lose their end.
const LABEL_CHARS: usize = 28;

/// A figure that could not be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlotError(String);

impl PlotError {
    pub(crate) fn new(cause: &dyn Display) -> PlotError {
        PlotError(cause.to_string())
    }
}

impl Display for PlotError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the figure could not be drawn: {}", self.0)
    }
}

impl std::error::Error for PlotError {}

type Area<DB> = DrawingArea<DB, Shift>;
type Chart<'a, DB> = ChartContext<'a, DB, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
type Drawn<DB> = Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

/// The figure as the text of an SVG file.
pub fn svg(figure: &Figure) -> Result<String, PlotError> {
    register_font();
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
    draw(&area, figure).map_err(|cause| PlotError::new(&cause))?;
    drop(area);
    Ok(text)
}

/// The figure as the bytes of a PNG file.
pub fn png(figure: &Figure) -> Result<Vec<u8>, PlotError> {
    register_font();
    let mut pixels = vec![255; 3 * SIZE.0 as usize * SIZE.1 as usize];
    let area = BitMapBackend::with_buffer(&mut pixels, SIZE).into_drawing_area();
    draw(&area, figure).map_err(|cause| PlotError::new(&cause))?;
    drop(area);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, SIZE.0, SIZE.1);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().map_err(|cause| PlotError::new(&cause))?;
    writer.write_image_data(&pixels).map_err(|cause| PlotError::new(&cause))?;
    writer.finish().map_err(|cause| PlotError::new(&cause))?;
    Ok(file)
}

/// Tells the backends the font they measure text with; the PNG is also drawn with it.
fn register_font() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Fails only for bytes that are no font; drawing would then say so.
        let font = epaint_default_fonts::UBUNTU_LIGHT;
        let _ = plotters::style::register_font("sans-serif", FontStyle::Normal, font);
    });
}

fn draw<DB: DrawingBackend>(area: &Area<DB>, figure: &Figure) -> Drawn<DB> {
    let points = || figure.series.iter().flat_map(|series| &series.points);
    let marks = || figure.marks.iter();
    let x = Axis::over(points().map(|p| p.x).chain(marks().map(|m| m.x)), figure.log_x);
    let low = points().map(|p| p.mean).filter(|_| figure.log_y);
    let tops = points().map(|p| p.high).chain(marks().map(|m| m.y));
    let y = Axis::over(tops.chain(low), figure.log_y);
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(area);
    chart.margin(MARGIN).set_label_area_size(LabelAreaPosition::Left, 3 * TEXT + TEXT / 2);
    chart.set_label_area_size(LabelAreaPosition::Bottom, 3 * TEXT);
    chart.margin_right(MARGIN + legend_width(&figure.series));
    if !figure.title.is_empty() {
        chart.caption(&figure.title, text(TEXT + 10));
    }
    let mut chart = chart.build_cartesian_2d(x.from..x.to, y.from..y.to)?;
    draw_axes(area, &mut chart, figure, &x, &y)?;
    for (index, series) in figure.series.iter().enumerate() {
        draw_series(area, &mut chart, (&x, &y), series, index)?;
    }
    for mark in &figure.marks {
        draw_mark(&mut chart, (&x, &y), mark)?;
    }
    let right_of = chart.plotting_area().map_coordinate(&(x.to, y.to));
    draw_legend(area, right_of, &figure.series)?;
    area.present()
}

/// Our own axes: plotters would choose other ticks, and write powers of ten as 10^3.
fn draw_axes<DB: DrawingBackend>(
    area: &Area<DB>,
    chart: &mut Chart<'_, DB>,
    figure: &Figure,
    x: &Axis,
    y: &Axis,
) -> Drawn<DB> {
    let place = |px: f64, py: f64| chart.plotting_area().map_coordinate(&(px, py));
    let ((left, bottom), (right, top)) = (place(x.from, y.from), place(x.to, y.to));
    let anchored = |horizontal, vertical| text(TEXT).pos(Pos::new(horizontal, vertical));
    for (at, label) in &x.ticks {
        let (column, _) = place(*at, y.from);
        area.draw(&PathElement::new([(column, bottom), (column, top)], PALE.stroke_width(2)))?;
        let style = anchored(HPos::Center, VPos::Top);
        area.draw(&Text::new(label.clone(), (column, bottom + 14), style))?;
    }
    for (at, label) in &y.ticks {
        let (_, row) = place(x.from, *at);
        area.draw(&PathElement::new([(left, row), (right, row)], PALE.stroke_width(2)))?;
        let style = anchored(HPos::Right, VPos::Center);
        area.draw(&Text::new(label.clone(), (left - 14, row), style))?;
    }
    let corner = [(left, top), (left, bottom), (right, bottom)];
    area.draw(&PathElement::new(corner, INK.stroke_width(3)))?;
    let below = (i32::midpoint(left, right), SIZE.1 as i32 - MARGIN as i32);
    area.draw(&Text::new(figure.x_label.clone(), below, anchored(HPos::Center, VPos::Bottom)))?;
    let beside = (MARGIN as i32, i32::midpoint(top, bottom));
    let turned = anchored(HPos::Center, VPos::Top).transform(FontTransform::Rotate270);
    area.draw(&Text::new(figure.y_label.clone(), beside, turned))
}

fn draw_series<DB: DrawingBackend>(
    area: &Area<DB>,
    chart: &mut Chart<'_, DB>,
    (x, y): (&Axis, &Axis),
    series: &Series,
    index: usize,
) -> Drawn<DB> {
    let color = COLORS[index % COLORS.len()];
    let seen = || {
        let points = series.points.iter().filter(|point| !x.log || point.x > 0.0);
        points.filter(|point| !y.log || point.mean > 0.0)
    };
    if seen().any(|point| point.low < point.high) {
        let above = seen().map(|point| (x.place(point.x), y.place(point.high)));
        let bottom = |low: f64| y.place(low.max(0.0)).max(y.from);
        let below = seen().rev().map(|point| (x.place(point.x), bottom(point.low)));
        let band: Vec<_> = above.chain(below).collect();
        chart.draw_series([Polygon::new(band, color.mix(0.2))])?;
    }
    let line: Vec<(f64, f64)> =
        seen().map(|point| (x.place(point.x), y.place(point.mean))).collect();
    let every = line.len().div_ceil(MARKERS).max(1);
    // Counted from the last point, which matters most.
    let marked: Vec<_> = line.iter().rev().step_by(every).copied().collect();
    chart.draw_series([PathElement::new(line, color.stroke_width(4))])?;
    for at in marked {
        draw_marker(area, chart.plotting_area().map_coordinate(&at), index)?;
    }
    Ok(())
}

/// The marker of the curve with this number.
fn draw_marker<DB: DrawingBackend>(area: &Area<DB>, (x, y): (i32, i32), index: usize) -> Drawn<DB> {
    let style = COLORS[index % COLORS.len()].filled();
    let m = MARKER;
    match index % 5 {
        0 => area.draw(&Circle::new((x, y), m, style)),
        1 => area.draw(&Rectangle::new([(x - m, y - m), (x + m, y + m)], style)),
        2 => area.draw(&TriangleMarker::new((x, y), m + 4, style)),
        3 => {
            let w = m + 4;
            area.draw(&Polygon::new([(x, y - w), (x + w, y), (x, y + w), (x - w, y)], style))
        }
        _ => area.draw(&Cross::new((x, y), m, style.stroke_width(5))),
    }
}

/// A published result: a ring with its name, on the side where there is room.
fn draw_mark<DB: DrawingBackend>(
    chart: &mut Chart<'_, DB>,
    (x, y): (&Axis, &Axis),
    mark: &Mark,
) -> Drawn<DB> {
    let (at, height) = (x.place(mark.x), y.place(mark.y));
    let right_half = at > 0.5 * (x.from + x.to);
    let (side, gap) = if right_half { (HPos::Right, -22) } else { (HPos::Left, 22) };
    let style = text(TEXT - 4).pos(Pos::new(side, VPos::Center));
    chart.draw_series([EmptyElement::at((at, height))
        + Circle::new((0, 0), MARKER + 3, INK.stroke_width(4))
        + Text::new(mark.label.clone(), (gap, 0), style)])?;
    Ok(())
}

/// Names and markers to the right, where they hide no curve.
fn draw_legend<DB: DrawingBackend>(
    area: &Area<DB>,
    (left, top): (i32, i32),
    series: &[Series],
) -> Drawn<DB> {
    let named = series.iter().enumerate().filter(|(_, series)| !series.label.is_empty());
    for (index, series) in named {
        let row = top + LINE_HEIGHT / 2 + LINE_HEIGHT * index as i32;
        let line = [(left + 20, row), (left + 80, row)];
        area.draw(&PathElement::new(line, COLORS[index % COLORS.len()].stroke_width(4)))?;
        draw_marker(area, (left + 50, row), index)?;
        let style = text(TEXT).pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(short_label(&series.label), (left + 94, row), style))?;
    }
    Ok(())
}

fn legend_width(series: &[Series]) -> u32 {
    let longest = series.iter().map(|s| short_label(&s.label).chars().count()).max().unwrap_or(0);
    // A letter of a proportional font is about as wide as half its height.
    if longest == 0 { 0 } else { 80 + longest as u32 * TEXT * 11 / 20 }
}

fn short_label(label: &str) -> String {
    if label.chars().count() <= LABEL_CHARS {
        return label.to_owned();
    }
    label.chars().take(LABEL_CHARS - 1).chain(['…']).collect()
}

fn text(size: u32) -> TextStyle<'static> {
    // The backend divides by 1.24; what is meant is the height in pixels.
    ("sans-serif", f64::from(size) * 1.24).into_font().color(&INK)
}

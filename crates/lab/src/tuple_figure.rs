//! Tuples drawn: small boards with the cells of a tuple filled, as SVG and as text.

use maxtile_game::Shape;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::plot::PlotError;

/// A tuple with what stands below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnTuple {
    /// Its cells.
    pub cells: Vec<u8>,
    /// A line below it; may be empty.
    pub label: String,
}

const CELL: i32 = 22;
const GAP: i32 = 26;
const LABEL: i32 = 30;
/// Boards in a row.
const ACROSS: usize = 10;
const INK: RGBColor = RGBColor(0, 114, 178);
const EMPTY: RGBColor = RGBColor(238, 238, 238);

/// The tuples as the text of an SVG file, ten in a row.
pub fn tuples_svg(shape: Shape, tuples: &[DrawnTuple]) -> Result<String, PlotError> {
    let (width, height) = (CELL * shape.cols() as i32, CELL * shape.rows() as i32);
    let label = if tuples.iter().all(|t| t.label.is_empty()) { 0 } else { LABEL };
    let step = (width + GAP, height + GAP + label);
    let across = tuples.len().clamp(1, ACROSS);
    let rows = tuples.len().div_ceil(across).max(1);
    let size = ((GAP + step.0 * across as i32) as u32, (GAP + step.1 * rows as i32) as u32);
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
    let draw = || -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
        area.fill(&WHITE)?;
        for (place, tuple) in tuples.iter().enumerate() {
            let left = GAP + step.0 * (place % across) as i32;
            let top = GAP + step.1 * (place / across) as i32;
            for cell in 0..shape.cells() {
                let x = left + CELL * (cell % shape.cols()) as i32;
                let y = top + CELL * (cell / shape.cols()) as i32;
                let color = if tuple.cells.contains(&(cell as u8)) { INK } else { EMPTY };
                let corners = [(x + 1, y + 1), (x + CELL - 1, y + CELL - 1)];
                area.draw(&Rectangle::new(corners, color.filled()))?;
            }
            let style = ("sans-serif", 17).into_font().color(&BLACK);
            let style = style.pos(Pos::new(HPos::Center, VPos::Top));
            let below = (left + width / 2, top + height + 6);
            area.draw(&Text::new(tuple.label.clone(), below, style))?;
        }
        area.present()
    };
    draw().map_err(|cause| PlotError::new(&cause))?;
    drop(area);
    Ok(text)
}

/// The rows of a board with the cells of a tuple marked.
pub fn tuple_rows(shape: Shape, tuple: &[u8]) -> Vec<String> {
    let mark = |cell: usize| if tuple.contains(&(cell as u8)) { '#' } else { '.' };
    let row = |r: usize| (0..shape.cols()).map(|c| mark(r * shape.cols() + c)).collect();
    (0..shape.rows()).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_rectangle() {
        let rows = tuple_rows(Shape::CLASSIC, &[4, 5, 6, 8, 9, 10]);
        assert_eq!(rows, ["....", "###.", "###.", "...."]);
    }

    #[test]
    fn one_filled_square_a_cell() {
        let tuple = |cells: &[u8]| DrawnTuple { cells: cells.to_vec(), label: String::new() };
        let text = tuples_svg(Shape::CLASSIC, &[tuple(&[0, 1, 2]), tuple(&[5])]).unwrap();
        assert_eq!(text.matches("#0072B2").count(), 4);
        assert_eq!(text.matches("#EEEEEE").count(), 28);
        assert!(tuples_svg(Shape::CLASSIC, &[]).is_ok());
    }
}

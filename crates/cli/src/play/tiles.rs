//! The colours of the tiles.

use ratatui::style::{Color, Style};

/// Background by exponent, from the 256 colours that look the same in all terminals: sand to red
/// up to 64, greens up to 1024, gold for 2048, then violet and blue.
const BACKGROUND: [u8; 17] =
    [254, 230, 222, 215, 209, 203, 194, 157, 120, 78, 220, 183, 177, 99, 63, 27, 19];

const BLACK: u8 = 16;
const WHITE: u8 = 231;

/// Colours of a tile; the number is black or white, whichever reads better.
pub(super) fn style(exponent: u8) -> Style {
    let index = (exponent as usize).clamp(1, BACKGROUND.len()) - 1;
    let background = BACKGROUND[index];
    let better = |a, b| if contrast(a, background) >= contrast(b, background) { a } else { b };
    let foreground = better(BLACK, WHITE);
    Style::new().bg(Color::Indexed(background)).fg(Color::Indexed(foreground))
}

/// The contrast ratio of the Web Content Accessibility Guidelines, 1 to 21.
fn contrast(a: u8, b: u8) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn luminance(color: u8) -> f64 {
    let linear = rgb(color).map(|part| {
        let part = part as f64 / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

/// The 6×6×6 cube and the greys after it; the sixteen before differ from terminal to terminal.
fn rgb(color: u8) -> [u8; 3] {
    let level = |index: u8| if index == 0 { 0 } else { 55 + 40 * index };
    match color {
        0..16 => [0; 3],
        16..232 => [(color - 16) / 36, (color - 16) / 6 % 6, (color - 16) % 6].map(level),
        232.. => [8 + 10 * (color - 232); 3],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable_on_every_tile() {
        for exponent in 1..=17 {
            let style = style(exponent);
            let (Some(Color::Indexed(fg)), Some(Color::Indexed(bg))) = (style.fg, style.bg) else {
                panic!("indexed colours");
            };
            assert!(bg >= 16 && contrast(fg, bg) >= 4.5, "{exponent}: {}", contrast(fg, bg));
        }
    }

    #[test]
    fn no_two_tiles_look_alike() {
        let mut colors = BACKGROUND.to_vec();
        colors.sort_unstable();
        colors.dedup();
        assert_eq!(colors.len(), BACKGROUND.len());
    }
}

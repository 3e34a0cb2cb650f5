//! What the weights of a network file look like, table by table, without loading the network.

use std::path::Path;

use safetensors::tensor::{Dtype, SafeTensors};

use crate::file::{FileError, about, table_name};
use crate::unsafe_map::map_file;

/// The weights of one table. Mean and the rest are about those that have learned: that are finite and not 0.
#[derive(Clone, Debug, PartialEq)]
pub struct TableStatistics {
    /// The table's name in the file.
    pub name: String,
    /// The stage of the game that it is for.
    pub stage: usize,
    /// The cells of its tuple, as hexadecimal digits; `None` for the table of a feature.
    pub cells: Option<String>,
    /// How many weights it has.
    pub count: u64,
    /// How many of them are not 0.
    pub nonzero: u64,
    /// How many are no numbers: learning has gone astray.
    pub wild: u64,
    /// Mean, standard deviation, smallest and largest, if there are any.
    pub learned: Option<Learned>,
}

/// The weights of a table that have learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub std: f64,
    /// The smallest.
    pub min: f32,
    /// The largest.
    pub max: f32,
    /// How many lie in each of equal parts of the range from the smallest to the largest.
    pub histogram: Vec<u64>,
}

/// Looks at every weight of a file, with histograms of so many parts.
pub fn statistics(path: &Path, parts: usize) -> Result<Vec<TableStatistics>, FileError> {
    let spec = about(path)?.spec;
    let map = map_file(path).map_err(FileError::Io)?;
    let bad = |e: safetensors::SafeTensorError| FileError::Bad(e.to_string());
    let tensors = SafeTensors::deserialize(&map).map_err(bad)?;
    let mut tables = Vec::new();
    for table in 0..spec.tables() * spec.stages.count() {
        let name = table_name(&spec, table);
        let tensor = tensors.tensor(&name).map_err(bad)?;
        if tensor.dtype() != Dtype::F32 {
            return Err(FileError::Bad(format!("{name} is not of 32-bit floats")));
        }
        let (stage, table) = (table / spec.tables(), table % spec.tables());
        let cells = spec.tuples.get(table).map(|cells| digits(cells));
        let four = |four: &[u8; 4]| f32::from_le_bytes(*four);
        let weights = || tensor.data().as_chunks().0.iter().map(four);
        tables.push(TableStatistics { stage, cells, ..look(name, weights, parts.max(1)) });
    }
    Ok(tables)
}

/// The same of numbers from elsewhere, as a table of the one stage that there is.
pub fn statistics_of(name: String, numbers: &[f32], parts: usize) -> TableStatistics {
    look(name, || numbers.iter().copied(), parts.max(1))
}

fn digits(cells: &[u8]) -> String {
    cells.iter().map(|&cell| char::from_digit(cell.into(), 16).unwrap_or('?')).collect()
}

fn look<I: ExactSizeIterator<Item = f32>>(
    name: String,
    weights: impl Fn() -> I,
    parts: usize,
) -> TableStatistics {
    let (mut wild, mut nonzero, mut sum, mut squares) = (0, 0u64, 0.0f64, 0.0f64);
    let (mut min, mut max) = (f32::INFINITY, f32::NEG_INFINITY);
    for weight in weights() {
        if !weight.is_finite() {
            wild += 1;
        } else if weight != 0.0 {
            nonzero += 1;
            sum += f64::from(weight);
            squares += f64::from(weight).powi(2);
            min = min.min(weight);
            max = max.max(weight);
        }
    }
    let learned = (nonzero > 0).then(|| {
        let mean = sum / nonzero as f64;
        let std = (squares / nonzero as f64 - mean * mean).max(0.0).sqrt();
        let mut histogram = vec![0; parts];
        let scale = parts as f64 / (f64::from(max) - f64::from(min));
        for weight in weights().filter(|weight| weight.is_finite() && *weight != 0.0) {
            // Where all are equal the scale is infinite, 0 times it is no number, and that is place 0.
            let place = (f64::from(weight) - f64::from(min)) * scale;
            histogram[(place as usize).min(parts - 1)] += 1;
        }
        Learned { mean, std, min, max, histogram }
    });
    let count = weights().len() as u64;
    TableStatistics { name, stage: 0, cells: None, count, nonzero, wild, learned }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{Network, named};

    #[test]
    fn every_table_is_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("network.safetensors");
        let network = Network::new(named("whole-2x2").unwrap()).unwrap();
        let mut weights = network.table(0);
        assert!(weights.len() > 10);
        (weights[1], weights[2], weights[3], weights[4]) = (-2.0, 4.0, 4.0, 6.0);
        weights[5] = f32::NAN;
        network.set_table(0, &weights).unwrap();
        network.save(&file, None, BTreeMap::new()).unwrap();
        let found = statistics(&file, 4).unwrap();
        assert_eq!(found.len(), network.tables());
        let first = &found[0];
        assert_eq!((first.name.as_str(), first.stage), ("tuple.0", 0));
        assert_eq!(first.cells.as_deref(), Some("0123"));
        assert_eq!((first.count, first.nonzero, first.wild), (weights.len() as u64, 4, 1));
        let learned = first.learned.as_ref().unwrap();
        assert_eq!((learned.mean, learned.min, learned.max), (3.0, -2.0, 6.0));
        assert!((learned.std - 9f64.sqrt()).abs() < 1e-12, "{}", learned.std);
        assert_eq!(learned.histogram, [1, 0, 0, 3]);
    }

    #[test]
    fn nothing_learned_and_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("network.safetensors");
        let network = Network::new(named("whole-2x2").unwrap()).unwrap();
        network.save(&file, None, BTreeMap::new()).unwrap();
        let empty = &statistics(&file, 4).unwrap()[0];
        assert_eq!((empty.nonzero, &empty.learned), (0, &None));
        network.set_all(8.0);
        network.save(&file, None, BTreeMap::new()).unwrap();
        let same = statistics(&file, 4).unwrap().remove(0);
        let learned = same.learned.unwrap();
        assert_eq!((same.nonzero, learned.min, learned.std), (same.count, learned.max, 0.0));
        assert_eq!(learned.histogram, [same.count, 0, 0, 0]);
    }
}

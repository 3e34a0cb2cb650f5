//! What the search of the duel costs, with and without its parts.
//!
//! ```sh
//! cargo run --release -p maxtile-lab --example duel_speed -- RUN 7 4   # network, depth, games
//! ```
//!
//! Both sides play at depth 3 from drawn openings; every eighth position is searched to the depth,
//! with ordering and table, without either, and without both. One thread.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use maxtile_game::{DuelRules, Phase};
use maxtile_lab::duel::{DuelSetting, opening};
use maxtile_lab::{AnyNetwork, open_network};
use maxtile_ntuple::DuelNetwork;
use maxtile_search::{DuelSearch, DuelSettings, DuelValue, Limits};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [net, depth, games] = &arguments[..] else { return Err("RUN DEPTH GAMES".into()) };
    let (depth, games): (u8, u64) = (depth.parse()?, games.parse()?);
    let AnyNetwork::Learned(network) = open_network(Path::new(net))? else {
        return Err("a network of tuples is wanted".into());
    };
    let value = DuelNetwork::new(Arc::new(network)).ok_or("a network of the duel is wanted")?;
    let value: Arc<dyn DuelValue> = Arc::new(value);
    let setting = DuelSetting { rules: DuelRules::default(), seed: 5, opening: 20 };
    let mut positions = Vec::new();
    let mut player = DuelSearch::new(Arc::clone(&value), DuelSettings::new(Limits::depth(3)))?;
    for game in 0..games {
        let mut duel = opening(&setting, game);
        let mut ply = 0u64;
        loop {
            let phase = duel.phase();
            if ply % 8 == game % 8 {
                positions.push(phase);
            }
            ply += 1;
            match phase {
                Phase::Defend(board) => match player.defend(board, false) {
                    Some(choice) => drop(duel.slide(choice.best)),
                    None => break,
                },
                Phase::Attack(afterstate, tiles) => match player.attack(afterstate, tiles, false) {
                    Some(choice) => duel.place(choice.best)?,
                    None => break,
                },
                Phase::Over(_) => break,
            }
        }
    }
    let plain = DuelSettings::new(Limits::depth(depth));
    println!("{} positions, depth {depth}", positions.len());
    for (name, settings) in [
        ("ordering and table", plain),
        ("ordering alone", DuelSettings { table: 0, ..plain }),
        ("table alone", DuelSettings { ordering: false, ..plain }),
        ("neither", DuelSettings { table: 0, ordering: false, ..plain }),
    ] {
        let mut search = DuelSearch::new(Arc::clone(&value), settings)?;
        let (mut nodes, mut leaves, mut times, mut logs) = (0, 0, Vec::new(), 0.0);
        for &phase in &positions {
            let clock = Instant::now();
            let counts = match phase {
                Phase::Defend(board) => search.defend(board, false).map(|choice| choice.counts),
                Phase::Attack(afterstate, tiles) => {
                    search.attack(afterstate, tiles, false).map(|choice| choice.counts)
                }
                Phase::Over(_) => continue,
            };
            times.push(clock.elapsed().as_secs_f64());
            if let Some(counts) = counts {
                nodes += counts.nodes;
                leaves += counts.leaves;
                logs += (counts.nodes.max(1) as f64).ln();
            }
        }
        times.sort_by(f64::total_cmp);
        let (total, count) = (times.iter().sum::<f64>(), times.len());
        println!(
            "{name:<20} {:>9.0} nodes and {:>9.0} leaves a ply, branching {:>5.2}, {:.2} M nodes/s, {:.2} M leaves/s, \
             {:.2} ms in the median, {:.2} at 95 %, {:.1} at most",
            nodes as f64 / count as f64,
            leaves as f64 / count as f64,
            (logs / count as f64 / f64::from(depth)).exp(),
            nodes as f64 / total / 1e6,
            leaves as f64 / total / 1e6,
            1e3 * times[count / 2],
            1e3 * times[count * 95 / 100],
            1e3 * times[count - 1],
        );
    }
    Ok(())
}

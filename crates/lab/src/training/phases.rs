//! Who learns when: the schedule of a duel.

use maxtile_ntuple::Learns;

/// The phases that a text like `chance:20000 attacker:10000` names; none of an empty one. They begin
/// and end with blocks of games, so that a block has one who learns.
pub(super) fn phases(text: &str, block: u64) -> Result<Vec<(Learns, u64)>, String> {
    let phase = |word: &str| -> Option<(Learns, u64)> {
        let (who, games) = word.split_once(':')?;
        Some((who.parse().ok()?, games.parse().ok().filter(|games| *games > 0)?))
    };
    let mut all = Vec::new();
    for word in text.split_whitespace() {
        let Some((who, games)) = phase(word) else {
            let known = "chance, defender, attacker or both";
            return Err(format!("a phase is {known}, a colon and a number of games, not {word:?}"));
        };
        if games % block != 0 {
            return Err(format!("the {games} games of a phase are no multiple of block {block}"));
        }
        all.push((who, games));
    }
    Ok(all)
}

/// Who learns in a game. When all phases are over the last one goes on.
pub(super) fn learns_in(phases: &[(Learns, u64)], game: u64) -> Learns {
    let mut end = 0u64;
    for (who, games) in phases {
        end = end.saturating_add(*games);
        if game < end {
            return *who;
        }
    }
    phases.last().map_or(Learns::Both, |(who, _)| *who)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_come_in_turn() {
        let text = "chance:2000 attacker:1000 defender:2000";
        let phases = phases(text, 1000).unwrap();
        let at = |game| learns_in(&phases, game);
        assert_eq!([at(0), at(1999)], [Learns::Chance; 2]);
        assert_eq!([at(2000), at(2999)], [Learns::Attacker; 2]);
        assert_eq!([at(3000), at(9999)], [Learns::Defender; 2], "the last one goes on");
        assert_eq!(learns_in(&[], 5), Learns::Both);
        for wrong in ["chance", "chance:0", "nobody:1000", "both:x", "both:1500"] {
            assert!(super::phases(wrong, 1000).is_err(), "{wrong}");
        }
    }
}

//! The known word that a misspelt one was meant to be.

/// The candidate that takes the fewest typing errors to become `word`, if it is near enough to be
/// meant: a third of its letters at most. Of equally near ones the first wins.
///
/// ```
/// use maxtile_lab::nearest;
///
/// assert_eq!(nearest("gredy", ["random", "greedy"]), Some("greedy"));
/// assert_eq!(nearest("expectimax", ["random", "greedy"]), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = candidates.into_iter().filter_map(|candidate| {
        let errors = distance(word, candidate);
        let allowed = candidate.chars().count().div_ceil(3);
        (errors <= allowed).then_some((errors, candidate))
    });
    near.min_by_key(|(errors, _)| *errors).map(|(_, candidate)| candidate)
}

/// Letters to insert, delete, replace or swap with their neighbour (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let cases = [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("gredey", "greedy", 1),
            ("gréedy", "greedy", 1),
            ("random", "radnom", 1),
        ];
        for (a, b, errors) in cases {
            assert_eq!((distance(a, b), distance(b, a)), (errors, errors), "{a} {b}");
        }
    }

    #[test]
    fn the_nearest_is_near() {
        let known = ["random", "greedy", "corner"];
        assert_eq!(nearest("radnom", known), Some("random"));
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest("x", ["net", "rho"]), None);
        assert_eq!(nearest("nte", ["net", "rho"]), Some("net"));
    }
}

/// Finds what somebody meant who mistyped a name.
enum EditDistance {
    /// The candidate with the fewest insertions, deletions and replacements; nil where all are too far away.
    static func nearest(to name: String, in candidates: [String]) -> String? {
        let ranked = candidates.map { ($0, distance(name, $0)) }.min { ($0.1, $0.0) < ($1.1, $1.0) }
        guard let (candidate, distance) = ranked, distance <= max(2, max(name.count, candidate.count) / 2) else {
            return nil
        }
        return candidate
    }

    /// Levenshtein's.
    static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let above = row[j + 1]
                row[j + 1] = min(above + 1, row[j] + 1, diagonal + (a == b ? 0 : 1))
                diagonal = above
            }
        }
        return row[right.count]
    }
}

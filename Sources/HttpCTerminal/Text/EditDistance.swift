/// Suggests the name that a person probably meant.
package enum EditDistance {
    /// The candidate with the fewest mistakes; nil if none is close. One mistake is permitted, or one for every four
    /// letters of a long name.
    package static func nearest(to name: String, in candidates: [String]) -> String? {
        let ranked = candidates.map { ($0, distance(name, $0)) }.min { ($0.1, $0.0) < ($1.1, $1.0) }
        guard let (candidate, distance) = ranked, distance <= max(1, max(name.count, candidate.count) / 4) else {
            return nil
        }
        return candidate
    }

    /// The number of insertions, deletions, replacements and swapped neighbours (optimal string alignment).
    static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left), Array(right))
        var before: [Int] = []
        var row = Array(0...right.count)
        for i in left.indices {
            var next = [i + 1]
            for j in right.indices {
                var least = min(row[j + 1] + 1, next[j] + 1, row[j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    least = min(least, before[j - 1] + 1)
                }
                next.append(least)
            }
            (before, row) = (row, next)
        }
        return row[right.count]
    }
}

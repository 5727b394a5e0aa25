/// Collects text as it is shown: with white space collapsed, and cut at a limit.
struct HTMLTextCollector {
    private let limit: Int
    private var scalars = String.UnicodeScalarView()
    private var count = 0
    private var owesSpace = false

    init(limit: Int) { self.limit = limit }

    var text: String { String(scalars) }

    mutating func append(_ text: String) {
        for scalar in text.unicodeScalars {
            guard count + (owesSpace ? 1 : 0) < limit else { return }
            if scalar.properties.isWhitespace {
                owesSpace = true
                continue
            }
            if owesSpace, count > 0 {
                scalars.append(" ")
                count += 1
            }
            owesSpace = false
            scalars.append(scalar)
            count += 1
        }
    }

    /// Separates two blocks.
    mutating func separate() { owesSpace = true }
}

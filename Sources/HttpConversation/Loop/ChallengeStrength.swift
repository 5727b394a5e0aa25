/// Orders the challenges of a response: the strongest first (docs/architecture.md, rule 5).
struct ChallengeStrength {
    /// The strengths that filters declare for their methods.
    private let strengths: [AuthenticationMethod: Int]

    /// - Parameter filters: the filters; the larger of two strengths for a method counts
    init(_ filters: [any ChallengeFilter] = []) {
        strengths = filters.reduce(into: [:]) { strengths, filter in
            for method in filter.handles {
                strengths[method] = max(method.strength, strengths[method] ?? method.strength)
            }
        }
    }

    func strongestFirst(_ challenges: [OfferedChallenge]) -> [OfferedChallenge] {
        guard challenges.count > 1 else { return challenges }
        return challenges.enumerated()
            .map { (offset: $0.offset, challenge: $0.element, strength: strength(of: $0.element)) }
            .sorted { ($0.strength, $1.offset) > ($1.strength, $0.offset) }
            .map(\.challenge)
    }

    private func strength(of challenge: OfferedChallenge) -> Int {
        let method = challenge.method
        guard method == .digest else { return strengths[method] ?? method.strength }
        return method.strength + Self.strength(ofDigest: challenge.parameter("algorithm") ?? "MD5")
    }

    private static func strength(ofDigest algorithm: String) -> Int {
        switch algorithm.uppercased() {
        case "SHA-512-256", "SHA-512-256-SESS": 9
        case "SHA-256", "SHA-256-SESS": 8
        case "MD5", "MD5-SESS": 7
        default: 1
        }
    }
}

/// Orders the challenges of a response: the strongest first (docs/architecture.md, rule 5).
enum ChallengeStrength {
    static func strongestFirst(_ challenges: [OfferedChallenge]) -> [OfferedChallenge] {
        challenges.enumerated()
            .sorted { (rank($0.element), $1.offset) > (rank($1.element), $0.offset) }
            .map(\.element)
    }

    private static func rank(_ challenge: OfferedChallenge) -> Int {
        switch challenge.method {
        case .dpop: 60
        case .bearer: 50
        case .digest: 20 + rank(digest: challenge.parameter("algorithm") ?? "MD5")
        case .basic: 10
        default: 0
        }
    }

    private static func rank(digest algorithm: String) -> Int {
        switch algorithm.uppercased() {
        case "SHA-512-256", "SHA-512-256-SESS": 9
        case "SHA-256", "SHA-256-SESS": 8
        case "MD5", "MD5-SESS": 7
        default: 1
        }
    }
}

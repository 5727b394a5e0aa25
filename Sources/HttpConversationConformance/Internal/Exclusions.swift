/// The exclusions of a run, by case.
struct Exclusions: Sendable {
    private var byCase: [String: ConformanceExclusion] = [:]

    init(_ exclusions: [ConformanceExclusion]) {
        for exclusion in exclusions { for id in exclusion.cases { byCase[id] = exclusion } }
    }

    subscript(id: String) -> ConformanceExclusion? { byCase[id] }

    /// Findings for exclusions with unknown ids. A run of only some cases has none.
    func problems(chosen: [ConformanceCase], isWhole: Bool) -> [ConformanceFinding] {
        guard isWhole else { return [] }
        return Set(byCase.keys).subtracting(chosen.map(\.id)).sorted().map {
            ConformanceFinding(
                caseID: $0, title: "an exclusion", expected: "the id of a case of this wire", happened: "there is none")
        }
    }
}

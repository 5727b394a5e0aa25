/// The result of a scene.
struct DemoResult: Sendable {
    let name: String
    let title: String
    var isStory = false
    let outcome: Result<String, DemoFailure>
    let exchanges: Int
    let elapsed: Duration

    var isGood: Bool { if case .success = outcome { true } else { false } }
}

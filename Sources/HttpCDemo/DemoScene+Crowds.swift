import HttpC
import TestLandscape

/// Scenes with many conversations at once.
extension DemoScene {
    static let crowds: [DemoScene] = [
        DemoScene(
            name: "one-login", title: "50 at once, one login", explanation: "all are challenged, one question is asked",
            isCrowd: true,
            play: crowd)
    ]

    private static func crowd(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let provider = DemoProvider("alice", "wonderland")
        let manager = stage.manager(timeline, provider)
        let requests = try (0..<50).map { try stage.request(.main, "/basic/crowd/\($0)") }
        let good = await withTaskGroup(of: Bool.self) { group in
            for request in requests {
                group.addTask { (try? await manager.data(for: request))?.status == .ok }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        try DemoFailure.unless(good == requests.count, "\(good) of \(requests.count) got their page")
        try DemoFailure.unless(provider.timesAsked == 1, "the person was asked \(provider.timesAsked) times")
        return "\(good) pages, the person was asked once"
    }
}

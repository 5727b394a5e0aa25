import HttpC
import Landscape

/// Plays the scenes one after the other and sums up.
struct Demo: Sendable {
    private let stage: DemoStage
    private let page = DemoPage(style: TerminalStyle(descriptor: 1))

    init(landscape: Landscape) { stage = DemoStage(landscape: landscape) }

    /// - Returns: the number of scenes that did not go as they should
    func run() async -> Int {
        // Nobody wants to watch a device wait.
        stage.landscape.oauthRule.deviceInterval = .seconds(1)
        page.title("httpc demo", "one call and one answer, whatever happens in between")
        var results: [DemoResult] = []
        for (index, scene) in DemoScene.all.enumerated() {
            if Task.isCancelled { break }
            page.heading(index + 1, scene.title, scene.explanation)
            let result = await play(scene)
            page.verdict(result)
            results.append(result)
        }
        await stage.transport.shutdown()
        page.summary(results)
        return results.count { !$0.isGood } + (results.count < DemoScene.all.count ? 1 : 0)
    }

    private func play(_ scene: DemoScene) async -> DemoResult {
        let timeline = DemoTimeline(page: page, isDetailed: !scene.isCrowd)
        let clock = ContinuousClock()
        let start = clock.now
        let outcome: Result<String, DemoProblem>
        do { outcome = .success(try await scene.play(stage, timeline)) } catch let problem as DemoProblem {
            outcome = .failure(problem)
        } catch {
            outcome = .failure(DemoProblem("\(error)"))
        }
        return DemoResult(
            title: scene.title, outcome: outcome, exchanges: timeline.exchanges, elapsed: clock.now - start)
    }
}

/// How a scene went.
struct DemoResult: Sendable {
    let title: String
    let outcome: Result<String, DemoProblem>
    let exchanges: Int
    let elapsed: Duration

    var isGood: Bool { if case .success = outcome { true } else { false } }
}

/// What was not as it should be.
struct DemoProblem: Error {
    let text: String
    init(_ text: String) { self.text = text }

    /// Throws where a condition does not hold.
    static func unless(_ condition: Bool, _ text: @autoclosure () -> String) throws(DemoProblem) {
        if !condition { throw DemoProblem(text()) }
    }
}

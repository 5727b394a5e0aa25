import HttpC
import TestLandscape

/// Plays the scenes one after the other and sums up.
struct Demo: Sendable {
    private let stage: DemoStage
    private let scenes: [DemoScene]
    private let page = DemoPage.standardOutput()

    init(landscape: Landscape, scenes: [DemoScene]) {
        stage = DemoStage(landscape: landscape)
        self.scenes = scenes
    }

    /// - Returns: the number of scenes that failed
    func run() async -> Int {
        // A person should not have to watch a device wait.
        stage.landscape.deviceInterval = .seconds(1)
        var results: [DemoResult] = []
        for (index, scene) in scenes.enumerated() {
            if Task.isCancelled { break }
            page.heading(scene)
            let result = await play(scene)
            if Task.isCancelled { break }
            page.verdict(result)
            results.append(result)
            guard await DemoPager.goesOn(after: scene, rest: scenes[(index + 1)...]) else { break }
        }
        await stage.transport.shutdown()
        if !Task.isCancelled, scenes.count > 1 { page.summary(results) }
        if scenes.map(\.name) == DemoScene.stories.map(\.name) {
            page.line("More: httpc demo all, httpc demo --list. Servers to try it on: httpc landscape.")
        }
        return results.count { !$0.isGood }
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
            name: scene.name, title: scene.title, isStory: scene.isStory, outcome: outcome,
            exchanges: timeline.exchanges, elapsed: clock.now - start)
    }
}

/// The result of a scene.
struct DemoResult: Sendable {
    let name: String
    let title: String
    var isStory = false
    let outcome: Result<String, DemoProblem>
    let exchanges: Int
    let elapsed: Duration

    var isGood: Bool { if case .success = outcome { true } else { false } }
}

/// The reason why a scene failed.
struct DemoProblem: Error {
    let text: String
    init(_ text: String) { self.text = text }

    /// Throws if a condition does not hold.
    static func unless(_ condition: Bool, _ text: @autoclosure () -> String) throws(DemoProblem) {
        if !condition { throw DemoProblem(text()) }
    }
}

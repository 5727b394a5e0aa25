import Foundation
import HttpC
package import HttpCTerminal
import TestLandscape

/// Plays the scenes one after the other and sums up.
package struct Demo: Sendable {
    private let stage: DemoStage
    private let scenes: [DemoScene]
    private let page = DemoPage.standardOutput()

    /// Lists the stories.
    ///
    /// - Parameter names: the names on the command line, which must exist
    package static func list(_ names: [String]) throws(CommandFailure) {
        _ = try DemoScene.chosen(by: names)
        DemoPage.standardOutput().list(DemoScene.all)
    }

    /// Plays stories against servers of its own.
    ///
    /// - Parameter names: the names on the command line; empty for the short stories
    /// - Returns: the exit status
    package static func play(_ names: [String]) async throws -> Int32 {
        let scenes = try DemoScene.chosen(by: names)
        let landscape = try await LandscapeRun.start(LandscapeConfiguration())
        let failures = await Interruption.shared.cancelling { await Demo(landscape: landscape, scenes: scenes).run() }
        await landscape.stop()
        return Interruption.shared.status ?? (failures > 0 ? 1 : 0)
    }

    private init(landscape: Landscape, scenes: [DemoScene]) {
        stage = DemoStage(landscape: landscape)
        self.scenes = scenes
    }

    /// - Returns: the number of scenes that failed
    private func run() async -> Int {
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
        let outcome: Result<String, DemoFailure>
        do { outcome = .success(try await scene.play(stage, timeline)) } catch let problem as DemoFailure {
            outcome = .failure(problem)
        } catch {
            outcome = .failure(DemoFailure("\(error)"))
        }
        return DemoResult(
            name: scene.name, title: scene.title, isStory: scene.isStory, outcome: outcome,
            exchanges: timeline.exchanges, elapsed: clock.now - start)
    }
}

/// Waits between stories if a person is there to read them.
private enum DemoPager {
    /// Whether the person wants to see the remaining scenes.
    static func goesOn(after scene: DemoScene, rest: ArraySlice<DemoScene>) async -> Bool {
        guard scene.isStory, let next = rest.first, next.isStory, isatty(0) != 0, isatty(1) != 0 else { return true }
        let answer = try? await TerminalPrompter(onInterrupt: ControllingTerminal.interrupted).ask(
            "\n  Enter: \(next.title). q: the end. ", isSecret: false)
        return answer.map { !$0.lowercased().hasPrefix("q") } ?? false
    }
}

import ArgumentParser
import Landscape

/// `httpc demo`: every flow that exists, against the embedded servers, live.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Starts the landscape and holds a conversation of every kind with it, step by step.")

    func run() async throws {
        let landscape = try await LandscapeCommand.start(LandscapeConfiguration())
        let failures = await Interruption.shared.cancelling { await Demo(landscape: landscape).run() }
        await landscape.stop()
        if let status = Interruption.shared.status { throw ExitCode(status) }
        if failures > 0 { throw ExitCode(1) }
    }
}

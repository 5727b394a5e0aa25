import ArgumentParser

#if Landscape
import HttpCDemo
#endif

/// `httpc demo`: live stories about the command, played against the embedded servers.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Shows httpc at work, against servers of its own on this machine.",
        discussion: """
            Five short stories: password, saml2, oauth2, script, secrets. Each shows commands, what a person sees of \
            them, and what was checked afterwards. "all" goes on with every kind of conversation there is, step by step.
            """, shouldDisplay: EmbeddedServers.areIncluded)

    @Argument(help: ArgumentHelp("Which stories: names of --list, or all.", valueName: "story"))
    var stories: [String] = []

    @Flag(help: "Lists the stories.") var list = false

    func run() async throws {
        #if Landscape
        if list { return try Demo.list(stories) }
        let status = try await Demo.play(stories)
        if status != 0 { throw ExitCode(status) }
        #else
        throw EmbeddedServers.missing
        #endif
    }
}

import HttpC
import HttpCTerminal

/// One scene: its texts, and the code that plays and checks it.
struct DemoScene: Sendable {
    /// The name on the command line.
    let name: String
    let title: String
    let explanation: String
    /// Whether it is shown as commands with their output, rather than exchange by exchange.
    var isStory = false
    /// Whether it has many conversations at once: their steps are counted, not shown.
    var isCrowd = false
    /// Plays the scene.
    ///
    /// - Returns: the result of its checks, as text for the person
    let play: @Sendable (DemoStage, DemoTimeline) async throws -> String

    /// All scenes, the stories first.
    static let all: [DemoScene] =
        stories + longStories + plain + logins + certificates + tokens + web + onboarding + uploads + crowds

    /// The scenes that a command line names; the stories if it names none.
    static func chosen(by names: [String]) throws(CommandFailure) -> [DemoScene] {
        if names.isEmpty { return stories.isEmpty ? all : stories }
        var chosen: [DemoScene] = []
        for name in names {
            if name == "all" {
                chosen += all
            } else if let scene = all.first(where: { $0.name == name }) {
                chosen.append(scene)
            } else {
                throw unknown(name)
            }
        }
        return chosen
    }

    /// Never repeats the name: it may be a pasted secret (security rule S20).
    private static func unknown(_ name: String) -> CommandFailure {
        let nearest = EditDistance.nearest(to: name, in: all.map(\.name) + ["all"])
        let hint = nearest.map { " Did you mean \($0)?" } ?? ""
        let names = (stories.map(\.name) + ["all"]).joined(separator: ", ")
        return CommandFailure(
            .usage, "There is no such story.\(hint) There are \(names); httpc demo --list names the others.")
    }
}

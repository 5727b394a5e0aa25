import HttpC

/// One scene: what it shows, and how it is played and checked.
struct DemoScene: Sendable {
    /// What it is called on the command line.
    let name: String
    let title: String
    let explanation: String
    /// Shown as commands and what a person sees of them, rather than exchange by exchange.
    var isStory = false
    /// Many conversations at once: their steps are counted, not shown.
    var isCrowd = false
    /// Plays it.
    ///
    /// - Returns: what was checked, for the person
    let play: @Sendable (DemoStage, DemoTimeline) async throws -> String

    /// The stories first.
    static let all: [DemoScene] =
        stories + plain + logins + certificates + tokens + web + onboarding + uploads + crowds

    /// The scenes that a command line means: the stories where it names none.
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

    /// Does not repeat the name: anything may have been pasted there (security rule S20).
    private static func unknown(_ name: String) -> CommandFailure {
        let nearest = EditDistance.nearest(to: name, in: all.map(\.name) + ["all"])
        let hint = nearest.map { " Did you mean \($0)?" } ?? ""
        let names = (stories.map(\.name) + ["all"]).joined(separator: ", ")
        return CommandFailure(
            .usage, "There is no such story.\(hint) There are \(names); httpc demo --list names the others.")
    }
}

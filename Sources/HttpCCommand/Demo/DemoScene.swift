import HttpC

/// One scene: what it shows, and how it is played and checked.
struct DemoScene: Sendable {
    let title: String
    let explanation: String
    /// Many conversations at once: their steps are counted, not shown.
    var isCrowd = false
    /// Plays it.
    ///
    /// - Returns: what was checked, for the person
    let play: @Sendable (DemoStage, DemoTimeline) async throws -> String

    static let all: [DemoScene] = plain + logins + certificates + tokens + web + onboarding + uploads + crowds
}

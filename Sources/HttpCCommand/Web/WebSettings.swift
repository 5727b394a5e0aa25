import HttpC

/// The options for login pages.
struct WebSettings: Sendable {
    /// The viewer; nil for the profile's.
    var kind: Profile.WebChoice?
    var isHeadless = false
    /// The answers, by the names of their fields.
    var answers: [String: AnswerSource] = [:]
    /// Further origins that may get the answers.
    var answerOrigins: [Origin] = []
}

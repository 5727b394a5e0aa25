/// What the command itself tells the story: names of custom events.
enum StoryEvent {
    /// A password is given to a server that asks; details: `source`, such as `of -u`.
    static let password = "httpcPassword"
    /// A person is asked on the terminal; details: `for` whom.
    static let asking = "httpcAsking"
    /// A login on web pages is shown; details: `purpose`, `place`, `by` what, such as `in the terminal`.
    static let webLogin = "httpcWebLogin"
}

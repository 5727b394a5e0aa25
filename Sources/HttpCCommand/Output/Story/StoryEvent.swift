/// What the command itself tells the story: names of custom events.
enum StoryEvent {
    /// A password is given to a server that asks; details: `source`, such as `of -u`.
    static let password = "passwordGiven"
    /// A person is asked on the terminal; details: `for` whom.
    static let asking = "personAsked"
}

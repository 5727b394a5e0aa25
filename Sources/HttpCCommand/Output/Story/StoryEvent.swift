/// The custom events that the command itself adds to the story.
enum StoryEvent {
    /// A password is given to a server that asks. Details: `source`, such as `of -u`.
    static let password = "passwordGiven"
    /// A person is asked on the terminal. Details: `for`, the receiver.
    static let asking = "personAsked"
}

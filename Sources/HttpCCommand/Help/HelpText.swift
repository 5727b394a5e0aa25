/// A help text that the user asked for. It is thrown, but is not a failure.
struct HelpText: Error {
    let text: String
}

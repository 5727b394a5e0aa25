/// What somebody asked to read; no failure.
struct HelpText: Error {
    let text: String
}

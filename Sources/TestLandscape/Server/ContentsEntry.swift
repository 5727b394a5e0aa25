/// A line of the table of contents.
struct ContentsEntry: Sendable {
    let path: String
    let text: String

    init(_ path: String, _ text: String) {
        self.path = path
        self.text = text
    }
}

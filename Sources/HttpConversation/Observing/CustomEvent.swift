/// An event of a flow of the application (``ConversationContext/notify(_:_:)``).
///
/// Names and values are sanitised and cut after 200 characters. At most 32 values are kept.
public struct CustomEvent: Sendable, Hashable {
    /// The kind of event.
    public let name: String
    /// The details, by name; never secret.
    public let values: [String: String]

    init(_ name: String, _ values: [String: String]) {
        self.name = TerminalText.sanitise(name)
        let kept = values.sorted { $0.key < $1.key }.prefix(32)
        self.values = Dictionary(
            kept.map { (TerminalText.sanitise($0.key), TerminalText.sanitise($0.value)) }, uniquingKeysWith: { $1 })
    }
}

/// The place in a value where an encoder or decoder failed. It holds nothing of the body, not even keys of
/// dictionaries.
struct JSONPlace {
    /// The place as text, such as ` at items[3].price`; empty for the whole value.
    let text: String

    init(_ error: EncodingError) {
        switch error {
        case .invalidValue(_, let context): self.init(context.codingPath)
        @unknown default: self.init([])
        }
    }

    init(_ path: [any CodingKey]) {
        let text = path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + Self.name(of: key)
            }
        }
        self.text = text.isEmpty ? "" : " at \(text)"
    }

    /// The key's name if it is a case of the program's own type, else `*`: other keys may come from the peer.
    static func name(of key: any CodingKey) -> String {
        let mirror = Mirror(reflecting: key)
        let isOfProgram = mirror.displayStyle == .enum && mirror.children.isEmpty
        return isOfProgram ? TerminalText.sanitise(key.stringValue, limit: 60) : "*"
    }
}

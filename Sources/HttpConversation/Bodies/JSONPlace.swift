/// Where in a value an encoder or decoder stopped. What a body says is not in it, keys of dictionaries included.
struct JSONPlace {
    /// Such as ` at items[3].price`; empty for the value as a whole.
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

    /// A case of the type's own keys says what the program says; any other key may come from the peer.
    static func name(of key: any CodingKey) -> String {
        let mirror = Mirror(reflecting: key)
        let isOfProgram = mirror.displayStyle == .enum && mirror.children.isEmpty
        return isOfProgram ? TerminalText.sanitise(key.stringValue, limit: 60) : "*"
    }
}

import HttpConvFormats

/// JSON for the programs that ask a helper. Contains secrets.
package enum HelperJSON {
    case text(String)
    /// Members that are nil are left out.
    case object([(name: String, value: HelperJSON?)])

    /// An object of texts.
    package static func texts(_ members: [(String, String)]) -> HelperJSON {
        .object(members.map { ($0, .text($1)) })
    }

    /// The value on a line.
    package var line: String {
        var json = JSONWriter()
        write(to: &json)
        return String(decoding: json.bytes, as: UTF8.self) + "\n"
    }

    private func write(to json: inout JSONWriter) {
        switch self {
        case .text(let text): json.text(text)
        case .object(let members):
            json.begin("{")
            for (name, value) in members {
                guard let value else { continue }
                json.name(name)
                value.write(to: &json)
            }
            json.end("}")
        }
    }
}

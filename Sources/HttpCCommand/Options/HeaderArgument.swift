import Foundation
import HttpC

/// One `-H` argument (curl's forms). What cannot be read is not repeated: it may be a secret.
enum HeaderArgument {
    /// `Name: value`, or `Name;` for an empty one.
    case send(HTTPField)
    /// `Name:` takes a field out that httpc would send by itself.
    case remove(HTTPField.Name)

    init(_ text: String) throws(CommandFailure) {
        let end = text.firstIndex { $0 == ":" || $0 == ";" }
        let firstColon = text.unicodeScalars.firstIndex { $0 == ":" || $0 == ";" }
        guard let end = firstColon ?? end else {
            throw CommandFailure(.usage, "An -H is no header field: it has no colon, as in 'Name: value'.")
        }
        let name = String(text[..<end])
        let isSemicolon = text.unicodeScalars[end] == ";"
        let rest = String(text[text.unicodeScalars.index(after: end)...])
        // Spaces around a value are no part of it; anything else that is not printable is refused below.
        let value = rest.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
        if isSemicolon, !value.isEmpty {
            throw CommandFailure(.usage, "An -H has a semicolon where a colon belongs, as in 'Name: value'.")
        }
        do throws(ConversationError) {
            let field = try HTTPField(checking: name, value)
            self = value.isEmpty && !isSemicolon ? .remove(field.name) : .send(field)
        } catch {
            throw CommandFailure(.usage, "-H: \(error.message)")
        }
    }

    /// The fields of a request: what httpc sends by itself, then what the arguments change.
    static func fields(
        _ arguments: [String], defaults: HTTPFields
    ) throws(CommandFailure) -> HTTPFields {
        var fields = defaults
        var replaced: Set<HTTPField.Name> = []
        for text in arguments {
            switch try HeaderArgument(text) {
            case .remove(let name): fields[name] = nil
            case .send(let field):
                if replaced.insert(field.name).inserted { fields[field.name] = nil }
                fields.append(field)
            }
        }
        return fields
    }
}

import HttpC
import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform

/// One `-H` argument (curl's forms). Text that cannot be parsed is not repeated: it may be a secret.
enum HeaderArgument {
    /// `Name: value`, or `Name;` for an empty value.
    case send(HTTPField)
    /// `Name:` removes a field that httpc would send by itself.
    case remove(HTTPField.Name)
    /// `Host: value`, for the typed servers.
    case host(HostField)

    init(_ text: String) throws(CommandFailure) {
        guard let end = text.unicodeScalars.firstIndex(where: { $0 == ":" || $0 == ";" }) else {
            throw CommandFailure(.usage, "-H needs a header field with a colon, such as 'Name: value'.")
        }
        let name = String(text[..<end])
        let isSemicolon = text.unicodeScalars[end] == ";"
        let rest = String(text[text.unicodeScalars.index(after: end)...])
        // Spaces around a value are not part of it. Other characters that cannot be printed are refused below.
        let value = String(rest.trimmingSpaces)
        if isSemicolon, !value.isEmpty {
            throw CommandFailure(.usage, "An -H has a semicolon where a colon belongs, as in 'Name: value'.")
        }
        if value.isEmpty, name.asciiLowercased == "host" {
            throw CommandFailure(.usage, "-H: every request has a Host, which cannot be removed. Leave out this -H.")
        }
        do throws(ConversationError) {
            let field = try HTTPField(checking: name, value)
            if field.name.canonicalName == "host" {
                self = .host(try HostField(value))
                return
            }
            self = value.isEmpty && !isSemicolon ? .remove(field.name) : .send(field)
        } catch {
            throw CommandFailure(.usage, "-H: \(error.message)")
        }
    }

    /// Whether a field belongs to the connection, so that a transport sends its own or none.
    static func belongsToConnection(_ name: HTTPField.Name) -> Bool { connectionFields.contains(name.canonicalName) }

    private static let connectionFields: Set<String> = [
        "connection", "content-length", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade",
    ]

    /// Replaces each `@file` by the lines of the file; `@-` is standard input.
    static func expanded(_ arguments: [String]) throws(CommandFailure) -> [String] {
        var expanded: [String] = []
        // As with curl, an empty argument does nothing.
        for argument in arguments where !argument.isEmpty {
            guard let bytes = try InputFile.contents(argument) else {
                expanded.append(argument)
                continue
            }
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            for (index, line) in lines.enumerated() {
                let bytes = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
                if bytes.allSatisfy(\.isSpaceOrTab) { continue }
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw CommandFailure(
                        .usage,
                        "-H \(TerminalText.sanitise(argument)): line \(index + 1) is not UTF-8. Save it as UTF-8.")
                }
                expanded.append(text)
            }
        }
        return expanded
    }

    /// The `Host` for the typed servers; nil for their own names.
    static func host(_ arguments: [String]) throws(CommandFailure) -> HostField? {
        var found: HostField?
        for text in arguments {
            guard case .host(let field) = try HeaderArgument(text) else { continue }
            guard found == nil else {
                throw CommandFailure(.usage, "A request has one Host field, and there is more than one -H 'Host: …'.")
            }
            found = field
        }
        return found
    }

    /// The fields of a request: httpc's own, as the arguments change them.
    static func fields(
        _ arguments: [String], defaults: HTTPFields
    ) throws(CommandFailure) -> HTTPFields {
        var fields = defaults
        var replaced: Set<HTTPField.Name> = []
        for text in arguments {
            switch try HeaderArgument(text) {
            case .host: continue
            // As with curl, a field of the command line stays.
            case .remove(let name): if !replaced.contains(name) { fields[name] = nil }
            case .send(let field):
                if replaced.insert(field.name).inserted { fields[field.name] = nil }
                fields.append(field)
            }
        }
        return fields
    }
}

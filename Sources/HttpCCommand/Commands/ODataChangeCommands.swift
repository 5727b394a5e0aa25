import ArgumentParser
import HttpC
import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform
import ODataOnline

/// `httpc odata create URL PATH --data JSON`: creates an entity.
struct ODataCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Makes an entity, and prints it as the service has it.")

    @OptionGroup var target: ODataTarget
    @OptionGroup var content: ODataContent
    @OptionGroup var connection: ODataConnectionOptions

    func run() async throws {
        let input = try content.entity()
        let address = target.address
        let path = address.link
        try await connection.run(address) { store, _ in
            try ODataWrittenText.print(try await store.create(input, in: path), store.version)
        }
    }
}

/// `httpc odata update URL PATH --data JSON`: changes an entity.
struct ODataUpdateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "update", abstract: "Changes an entity.")

    @OptionGroup var target: ODataTarget
    @OptionGroup var content: ODataContent
    @OptionGroup var tag: ODataTag

    @Flag(help: "Resets properties that are not given to their defaults; without this option they stay unchanged.")
    var replace = false

    @OptionGroup var connection: ODataConnectionOptions

    func run() async throws {
        let input = try content.entity()
        let address = target.address
        let (path, tag, update) = (address.link, tag.ifMatch, replace ? ODataUpdate.replace : .merge)
        try await connection.run(address) { store, _ in
            let written = try await store.update(path, with: input, ifMatch: tag, by: update)
            try ODataWrittenText.print(written, store.version)
        }
    }
}

/// `httpc odata delete URL PATH`: deletes an entity.
struct ODataDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "delete", abstract: "Deletes an entity.")

    @OptionGroup var target: ODataTarget
    @OptionGroup var tag: ODataTag
    @OptionGroup var connection: ODataConnectionOptions

    func run() async throws {
        let address = target.address
        let (path, tag) = (address.link, tag.ifMatch)
        try await connection.run(address) { store, _ in
            try await store.delete(path, ifMatch: tag)
        }
    }
}

/// The target of a change.
struct ODataTarget: ParsableArguments {
    @Argument(help: ArgumentHelp("The address of the service.", valueName: "URL"))
    var url: String

    @Argument(help: ArgumentHelp("The path below URL, such as \"Products(7)\".", valueName: "PATH"))
    var path: String

    var address: ODataAddress { ODataAddress(service: url, path: path) }

    func validate() throws {
        guard !address.optionNames.contains(where: { $0.hasPrefix("$") }) else {
            throw ValidationError("The URL has a query of rows: give the address of the service.")
        }
    }
}

/// The content to send.
struct ODataContent: ParsableArguments {
    @Option(
        name: [.customShort("d", allowingJoined: true), .customLong("data")], parsing: .unconditional,
        help: ArgumentHelp(
            "The properties, a JSON object; @file reads a file, @- standard input.", valueName: "JSON"))
    var data: String

    /// The properties of `--data`, with exact numbers.
    func entity() throws(CommandFailure) -> JSONValue {
        let bytes = try InputFile.contents(data) ?? Array(data.utf8)
        guard let members = JSONValue.object(bytes) else {
            throw CommandFailure(
                .usage, "--data needs a JSON object, such as '{\"Name\": \"Tea\"}'. Nothing was sent.")
        }
        return .object(members.filter { $0.key != "@odata.etag" })
    }
}

/// The expected version of an entity.
struct ODataTag: ParsableArguments {
    @Option(
        name: .customLong("if-match"),
        help: ArgumentHelp(
            "The ETag of the version to change, from the row's @odata.etag; * for any version.", valueName: "ETAG"))
    var ifMatch: String?
}

/// Prints a written entity: a line of JSON, with its version for the next change.
private enum ODataWrittenText {
    static func print(_ written: ODataWritten, _ version: ODataVersion) throws(ConversationError) {
        var line = "{}"
        if let row = written.row {
            line = ODataText.json(row, version)
        } else if let tag = written.etag {
            line = "{\"@odata.etag\":\(TerminalJSON.quoted(tag))}"
        }
        try StandardOutput.write(Array((line + "\n").utf8))
    }
}

import ArgumentParser
import HttpC
import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform
import ODataOnline

/// `httpc odata`: OData services of versions 2 and 4.
struct ODataCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "odata", abstract: "Reads and changes the entities of OData services.",
        usage: """
            httpc odata URL [PATH] [options]
            httpc odata 'WHOLE URL?$filter=…' [options]
            httpc odata URL --metadata [--json]
            httpc odata create URL PATH --data JSON
            httpc odata update URL PATH --data JSON [--if-match ETAG] [--replace]
            httpc odata delete URL PATH [--if-match ETAG]
            """,
        discussion: """
            URL is the address of the service. PATH is the part to read: a set, "Products(7)", "Orders(1)/Lines". \
            Without PATH its sets are listed. Options of URL such as sap-client go with each request. A whole URL with its query, as a browser shows it, is taken as well: quote it for the shell. On a terminal rows are a table, elsewhere a JSON object a line. Logins are those of every other request.
            """,
        subcommands: [
            ODataReadCommand.self, ODataCreateCommand.self, ODataUpdateCommand.self, ODataDeleteCommand.self,
        ],
        defaultSubcommand: ODataReadCommand.self)
}

/// `httpc odata URL [PATH]`: reads rows, or the model.
struct ODataReadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Reads rows or the service's metadata (the default).")

    @Argument(help: ArgumentHelp("The address of the service.", valueName: "URL"))
    var url: String

    @Argument(help: ArgumentHelp("The path to read, below URL.", valueName: "PATH"))
    var path: String?

    @OptionGroup(title: "What is read") var options: ODataOptions

    @Flag(
        help: """
            Reads all pages; by default only the first. Of a long expanded collection the output has the first page, \
            and the link to the rest ("Lines@odata.nextLink").
            """)
    var all = false

    @Flag(help: "Shows the service's metadata: sets, types, operations.")
    var metadata = false

    @Flag(help: "JSON also on a terminal.")
    var json = false

    @OptionGroup var connection: ODataConnectionOptions

    func validate() throws {
        let address = ODataAddress(url)
        if metadata, path != nil || !address.optionNames.allSatisfy({ $0.hasPrefix("sap-") }) {
            throw ValidationError("--metadata is of the whole service: leave PATH and the query out.")
        }
        if path != nil, address.optionNames.contains(where: { $0.hasPrefix("$") }) {
            throw ValidationError("The URL has a query, so it already contains the path: leave out PATH.")
        }
        if path == nil, address.places.first?.path == nil, !options.query.isEmpty {
            throw ValidationError("odata needs PATH, such as Products.")
        }
        if let name = options.names.first(where: { address.optionNames.contains($0) }) {
            throw ValidationError("\(name) is in the query of URL, too: say it once.")
        }
    }

    func run() async throws {
        let address = path.map { ODataAddress(service: url, path: $0) } ?? ODataAddress(url)
        let query = [address.query, options.query].filter { !$0.isEmpty }.joined(separator: "&")
        let (all, metadata, selectsRows) = (all, metadata || address.isMetadata, !options.query.isEmpty)
        let isTerminal = isatty(1) != 0
        let asTable = !json && isTerminal
        let modelAsJSON = json
        try await connection.run(address) { store, path in
            if metadata, let model = store.model {
                try ODataModelText(model, asJSON: modelAsJSON).write { try StandardOutput.write($0) }
            } else if let path {
                try await ODataReading(store: store, path: path, query: query, followsPages: all).print(
                    asTable: asTable)
            } else {
                guard !selectsRows else { throw CommandFailure(.usage, "odata needs PATH, such as Products.") }
                let names = (store.model?.sets.keys.sorted() ?? []).map { TerminalText.sanitise($0) + "\n" }
                try Self.write(names.joined())
            }
        }
    }

    private static func write(_ text: String) throws(ConversationError) {
        try StandardOutput.write(Array(text.utf8))
    }
}

import ArgumentParser
import HttpC
import HttpConvFormats

/// The options for rows and their properties, in OData's own terms.
struct ODataOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only rows for which this is true, such as \"Price gt 10\".", valueName: "expression"))
    var filter: String?

    @Option(help: ArgumentHelp("Only these properties.", valueName: "names"))
    var select: String?

    @Option(help: ArgumentHelp("Adds the entities of these navigation properties.", valueName: "names"))
    var expand: String?

    @Option(help: ArgumentHelp("The order, such as \"Price desc,Name\".", valueName: "expressions"))
    var orderby: String?

    @Option(help: ArgumentHelp("At most so many rows.", valueName: "number"))
    var top: Int?

    @Option(help: ArgumentHelp("Without the first rows.", valueName: "number"))
    var skip: Int?

    func validate() throws {
        for (name, number) in [("--top", top), ("--skip", skip)] {
            if let number, number < 0 { throw ValidationError("\(name) needs a number from 0.") }
        }
    }

    private var given: [(name: String, value: String)] {
        let options = [
            ("$filter", filter), ("$select", select), ("$expand", expand), ("$orderby", orderby),
            ("$top", top.map(String.init)), ("$skip", skip.map(String.init)),
        ]
        return options.compactMap { name, value in value.map { (name, $0) } }
    }

    /// The names of the given options, as in a query.
    var names: [String] { given.map(\.name) }

    /// The query of an address.
    var query: String { given.map { "\($0.name)=\(Self.encoded($0.value))" }.joined(separator: "&") }

    /// Percent-encodes all but unreserved characters and commas between names.
    static func encoded(_ text: String) -> String {
        Hexadecimal.percentEncoded(text.utf8) { $0.isUnreserved || $0 == UInt8(ascii: ",") }
    }
}

/// A fault of answers of the OData services.
package enum ODataFault: String, CaseIterable, Sendable {
    // MARK: Bodies

    /// JSON that ends in the middle.
    case malformedJSON = "malformed-json"
    /// Atom whose elements do not match.
    case malformedAtom = "malformed-atom"
    /// Metadata whose elements do not match.
    case malformedMetadata = "malformed-metadata"
    /// A batch answer without an end.
    case malformedBatch = "malformed-batch"
    /// Numbers in place of texts, and texts in place of numbers.
    case wrongTypes = "wrong-types"
    /// A page of a web site with status 200.
    case page
    /// Escape sequences of terminals in values and names.
    case controls
    /// XML that grows exponentially, in metadata and Atom.
    case laughs
    /// XML that names a file.
    case externalEntity = "external-entity"
    /// Objects in objects, a hundred thousand deep.
    case deep
    /// A text without an end.
    case endlessText = "endless-text"
    /// Rows without an end in one page.
    case endlessRows = "endless-rows"
    /// An entity that expands into itself without an end.
    case endlessNesting = "endless-nesting"
    /// A body that arrives byte by byte, with pauses.
    case slow

    // MARK: Pages

    /// A link to a next page at another origin.
    case nextElsewhere = "next-elsewhere"
    /// A link to the same page.
    case nextItself = "next-itself"
    /// A link to a file.
    case nextFile = "next-file"
    /// An endless sequence of empty pages.
    case nextForever = "next-forever"

    // MARK: Batches

    /// Answers in the reverse order.
    case batchOrder = "batch-order"
    /// An answer is missing.
    case batchFewer = "batch-fewer"
    /// An answer is there twice.
    case batchMore = "batch-more"

    /// The link to the next page in place of the right one.
    func next(instead right: String?, of service: ODataService, _ own: String) -> String? {
        switch self {
        case .nextElsewhere: service.elsewhere + own.dropFirst(service.root.count)
        case .nextItself: own
        case .nextFile: "file:///etc/passwd"
        case .nextForever: service.root + "Rows?rows=0&turn=\(RandomToken.make())"
        default: right
        }
    }

    /// The answers of a batch in place of the right ones.
    func batch(_ answers: [String]) -> [String] {
        switch self {
        case .batchOrder: answers.reversed()
        case .batchFewer: Array(answers.dropLast())
        case .batchMore: answers + answers.suffix(1)
        default: answers
        }
    }
}

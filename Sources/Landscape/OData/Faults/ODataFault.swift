/// What goes wrong with answers of the OData services.
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
    /// Numbers where texts are expected, and the other way round.
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
    /// A byte at a time.
    case slow

    // MARK: Pages

    /// The next page is at another origin.
    case nextElsewhere = "next-elsewhere"
    /// The next page is this one.
    case nextItself = "next-itself"
    /// The next page is a file.
    case nextFile = "next-file"
    /// There is always a next page, and it is empty.
    case nextForever = "next-forever"

    // MARK: Batches

    /// Answers in the reverse order.
    case batchOrder = "batch-order"
    /// An answer is missing.
    case batchFewer = "batch-fewer"
    /// An answer is there twice.
    case batchMore = "batch-more"

    /// The URL of the next page in place of the right one.
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

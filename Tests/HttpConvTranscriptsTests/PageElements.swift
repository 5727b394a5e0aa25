@testable import HttpConvFormats

/// The elements of a page, as libxml2 reads it.
final class PageElements: HTMLEventHandler {
    private(set) var names: Set<String> = []
    private(set) var attributes: Set<String> = []
    private(set) var text = ""
    let wantsMore = true

    init(_ page: String) { isWhole = HTMLEventParser.parse(page, into: self) }

    private(set) var isWhole = false

    func start(_ name: String, _ attributes: [String: String]) {
        names.insert(name)
        self.attributes.formUnion(attributes.keys)
    }

    func end(_ name: String) {}
    func text(_ text: String) { self.text += text }
}

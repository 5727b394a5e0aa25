import HTTPTypes
import HttpConversation

/// The head of a response that can be a login page.
struct PageHead {
    /// 2xx, 401 or 403.
    let status: Int
    let type: PageType

    init?(_ head: HTTPResponse) {
        guard let field = head.headerFields.value(of: .contentType), let type = PageType(field) else { return nil }
        let code = head.status.code
        guard (200..<300).contains(code) || code == 401 || code == 403 else { return nil }
        (status, self.type) = (code, type)
    }

    /// Whether a response can be a login page: HTML, with a status that pages of logins have. Runs for every response,
    /// and most are not pages, so the media type comes first.
    static func isPage(_ head: HTTPResponse) -> Bool { PageHead(head) != nil }

    /// Whether a response may be a login page according to its status and media type. A response without a media type
    /// may be a login page, too, and so may a response with any status but 2xx.
    static func mayBePage(_ head: HTTPResponse) -> Bool {
        guard let field = head.headerFields.value(of: .contentType), PageType(field) == nil else { return true }
        return head.status.kind != .successful
    }
}

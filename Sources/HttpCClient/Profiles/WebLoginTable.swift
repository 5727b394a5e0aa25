import HttpC

/// `[profiles.NAME.web-login]`.
struct WebLoginTable: Sendable {
    var redirects: [PageAddress] = []
    var statuses: [Int] = []
    var header: (name: HTTPField.Name, value: String?)?
    var hasPasswordForm = false
    var start: PageAddress?
    var end: (page: PageAddress, parameters: [String])?

    /// The library's configuration for a request.
    func config(for target: TargetURL) throws -> WebLoginConfiguration {
        var challenges: [WebLoginConfiguration.Challenge] = []
        for page in redirects { challenges.append(.redirect(to: try page.url(for: target))) }
        challenges += statuses.map { .status($0) }
        if let header { challenges.append(.header(header.name, value: header.value)) }
        if hasPasswordForm { challenges.append(.passwordForm) }
        let end: WebLoginConfiguration.End =
            try end.map { .navigation(try $0.page.url(for: target), parameters: $0.parameters) } ?? .resource
        let start = try start?.url(for: target)
        guard !challenges.isEmpty else { return try WebLoginConfiguration(start: start, end: end) }
        return try WebLoginConfiguration(challenges: challenges, start: start, end: end)
    }
}

import HTTPTypes

/// A refused command of the admin API.
struct AdminFailure: Error {
    static let unknown = AdminFailure("there is no such command", status: .notFound)

    let message: String
    let status: HTTPResponse.Status

    init(_ message: String, status: HTTPResponse.Status = .badRequest) {
        self.message = message
        self.status = status
    }
}

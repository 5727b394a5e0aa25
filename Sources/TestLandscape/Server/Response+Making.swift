import HTTPTypes
import HummingbirdCore
import NIOCore

extension Response {
    /// A plain-text response.
    static func text(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// A JSON response with sorted keys.
    static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) throws -> Response {
        var fields = headers
        fields[.contentType] = "application/json"
        let bytes = try JSONBody.bytes(value)
        return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Adds a field beside others of the same name.
    func adding(_ name: HTTPField.Name, _ value: String) -> Response {
        var copy = self
        copy.headers.append(HTTPField(name: name, value: value))
        return copy
    }
}

import HTTPTypes
import HttpConvPlatform

/// Writes a batch as `multipart/mixed` (OData 4.01 §11.7.7; OData 2.0 "Batch Processing").
struct MultipartBatchWriter {
    let version: ODataVersion
    private let mark = UUID().uuidString.lowercased()
    private(set) var bytes: [UInt8] = []

    init(_ version: ODataVersion) { self.version = version }

    /// The boundary is random, so it occurs in no body.
    var contentType: String { "multipart/mixed; boundary=batch_\(mark)" }

    mutating func write(_ plan: BatchPlan) {
        for (index, group) in plan.groups.enumerated() {
            line("--batch_\(mark)")
            if group.isChangeSet {
                let boundary = "changeset_\(index)_\(mark)"
                line("Content-Type: multipart/mixed; boundary=\(boundary)")
                line("")
                for step in group.steps {
                    line("--\(boundary)")
                    write(step, hasID: true)
                }
                line("--\(boundary)--")
            } else {
                for step in group.steps { write(step, hasID: version == .v4) }
            }
        }
        line("--batch_\(mark)--")
    }

    private mutating func write(_ step: BatchPlan.Step, hasID: Bool) {
        line("Content-Type: application/http")
        line("Content-Transfer-Encoding: binary")
        if hasID { line("Content-ID: \(step.id)") }
        line("")
        line("\(step.request.method.rawValue) \(step.address) HTTP/1.1")
        line("Accept: application/json")
        for field in step.request.fields { line("\(field.name.rawName): \(field.value)") }
        if let body = step.request.body {
            line("Content-Type: application/json")
            line("Content-Length: \(body.count)")
            line("")
            bytes += body
        } else {
            line("")
        }
        line("")
    }

    private mutating func line(_ text: String) {
        bytes += text.utf8
        bytes += [0x0D, 0x0A]
    }
}

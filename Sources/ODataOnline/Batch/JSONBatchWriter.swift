import HTTPTypes
import HttpConvFormats

/// Writes a batch as JSON (OData JSON 4.01 §19).
enum JSONBatchWriter {
    static func bytes(_ plan: BatchPlan) -> [UInt8] {
        var writer = JSONWriter()
        writer.begin("{")
        writer.name("requests")
        writer.begin("[")
        for (index, group) in plan.groups.enumerated() {
            for step in group.steps {
                write(step, group: group.isChangeSet ? "g\(index)" : nil, to: &writer)
            }
        }
        writer.end("]")
        writer.end("}")
        return writer.bytes
    }

    private static func write(_ step: BatchPlan.Step, group: String?, to writer: inout JSONWriter) {
        writer.begin("{")
        // Methods are in small letters. `atomicityGroup` comes before the members that it groups.
        for (name, text) in [
            ("id", "\(step.id)"), ("atomicityGroup", group), ("method", step.request.method.rawValue.lowercased()),
            ("url", step.address),
        ] {
            guard let text else { continue }
            writer.name(name)
            writer.text(text)
        }
        if !step.references.isEmpty {
            writer.name("dependsOn")
            writer.begin("[")
            for id in step.references { writer.text("\(id)") }
            writer.end("]")
        }
        var fields = step.request.fields
        if step.request.body != nil { fields[.contentType] = "application/json" }
        writer.name("headers")
        writer.begin("{")
        for field in fields {
            writer.name(field.name.canonicalName)
            writer.text(field.value)
        }
        writer.end("}")
        if let body = step.request.body {
            writer.name("body")
            writer.raw(body)
        }
        writer.end("}")
    }
}

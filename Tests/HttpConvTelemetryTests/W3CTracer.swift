import InMemoryTracing
import Tracing

/// A tracer that stores its spans. It injects the fields of W3C Trace Context, and fields that must be refused.
struct W3CTracer: Tracer {
    let base = InMemoryTracer()

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> InMemorySpan {
        base.startSpan(
            operationName, context: context(), ofKind: kind, at: instant(), function: function, file: fileID, line: line
        )
    }

    func forceFlush() {}

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Carrier == Inject.Carrier {
        guard let span = context.inMemorySpanContext else { return }
        injector.inject("00-\(span.traceID)-\(span.spanID)-01", forKey: "traceparent", into: &carrier)
        injector.inject("vendor=\(span.spanID)", forKey: "tracestate", into: &carrier)
        injector.inject("user=alice", forKey: "baggage", into: &carrier)
        injector.inject("other", forKey: "Authorization", into: &carrier)
        injector.inject("a\r\nb", forKey: "X-Bad\r\nName", into: &carrier)
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Carrier == Extract.Carrier {}

    /// The finished spans in the order of their starts.
    var spans: [FinishedInMemorySpan] {
        base.finishedSpans.sorted { $0.startInstant.nanosecondsSinceEpoch < $1.startInstant.nanosecondsSinceEpoch }
    }
}

extension FinishedInMemorySpan {
    /// An attribute as text.
    func text(_ name: String) -> String? {
        switch attributes.get(name) {
        case .string(let text): text
        case .int64(let number): "\(number)"
        case .int32(let number): "\(number)"
        case .bool(let bool): "\(bool)"
        default: nil
        }
    }

    /// All names and values of the span.
    var everything: String {
        var text = operationName
        attributes.forEach { text += " \($0)=\($1)" }
        for event in events {
            text += " \(event.name)"
            event.attributes.forEach { text += " \($0)=\($1)" }
        }
        return text + " \(errors.map { "\($0.error)" })"
    }
}

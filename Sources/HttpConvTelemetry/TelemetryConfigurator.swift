public import HttpConversation
public import Metrics
public import Tracing

/// Configures spans and metrics of conversations, by swift-distributed-tracing and swift-metrics.
///
/// Each conversation has a span. Within it are spans for each exchange and for each conversation that it starts, such
/// as a token request. Attributes have OpenTelemetry's names and contain no secrets. Only requests to the origin that
/// the application asked for carry `traceparent` and `tracestate` (W3C Trace Context). Identity providers, token
/// servers and targets of redirects to other origins do not get them.
///
/// Apply it last, because an exchange's span begins when its request is complete.
///
/// ```swift
/// let manager = HttpConversationManager(login, TelemetryConfigurator())
/// ```
public struct TelemetryConfigurator: ManagerConfigurator {
    private let traces: TraceObserver?
    private let metrics: MetricsObserver?

    /// Uses the tracer and the metrics that the process has bootstrapped.
    public init() { self.init(tracer: InstrumentationSystem.tracer, metrics: MetricsSystem.factory) }

    /// Uses a given tracer and metrics.
    ///
    /// - Parameters:
    ///   - tracer: nil: no spans, and no fields in requests
    ///   - metrics: nil: no metrics
    public init(tracer: (any Tracer)?, metrics: (any MetricsFactory)?) {
        traces = tracer.map { TraceObserver(tracer: $0) }
        self.metrics = metrics.map { MetricsObserver(factory: $0) }
    }

    public func configure(_ configuration: inout HttpConversationManager.Configuration) {
        if let traces {
            configuration.observers.add(traces, id: "telemetry.spans")
            configuration.requestFilters.add(TraceContextFilter(traces: traces), id: "telemetry.context")
        }
        if let metrics { configuration.observers.add(metrics, id: "telemetry.metrics") }
    }
}

package io.github.vicinal.boot.client;

import java.util.List;
import java.util.Set;

import io.github.vicinal.boot.reflect.Fields;
import io.github.vicinal.boot.reflect.Fields.UnknownLayoutException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.codec.Decoder;
import org.springframework.core.codec.Encoder;
import org.springframework.http.MediaType;
import org.springframework.http.codec.DecoderHttpMessageReader;
import org.springframework.http.codec.EncoderHttpMessageWriter;
import org.springframework.http.codec.HttpMessageReader;
import org.springframework.http.codec.HttpMessageWriter;
import org.springframework.http.codec.JacksonCodecSupport;
import org.springframework.http.codec.json.JacksonJsonDecoder;
import org.springframework.http.codec.json.JacksonJsonEncoder;
import org.springframework.web.reactive.function.client.ExchangeStrategies;

/**
 * Decides whether the codecs of a {@code WebClient} treat a body as typed paths do.
 * Loaded only if there is one.
 */
final class ReactiveCodecs {

	private static final String CODECS = "org.springframework.core.codec.";

	/** Those of Spring take bytes, texts, and what typed paths do not carry. */
	private static final Set<String> INDIFFERENT = Set.of(CODECS + "ByteArrayDecoder", CODECS + "ByteBufferDecoder",
			CODECS + "DataBufferDecoder", CODECS + "NettyByteBufDecoder", CODECS + "StringDecoder",
			CODECS + "ByteArrayEncoder", CODECS + "ByteBufferEncoder", CODECS + "DataBufferEncoder",
			CODECS + "NettyByteBufEncoder", CODECS + "CharSequenceEncoder",
			"org.springframework.http.codec.ResourceHttpMessageReader",
			"org.springframework.http.codec.ResourceHttpMessageWriter",
			"org.springframework.http.codec.FormHttpMessageReader",
			"org.springframework.http.codec.FormHttpMessageWriter",
			"org.springframework.http.codec.ServerSentEventHttpMessageReader",
			"org.springframework.http.codec.multipart.DefaultPartHttpMessageReader",
			"org.springframework.http.codec.multipart.MultipartHttpMessageReader",
			"org.springframework.http.codec.multipart.MultipartHttpMessageWriter",
			"org.springframework.http.codec.multipart.PartEventHttpMessageReader",
			"org.springframework.http.codec.multipart.PartEventHttpMessageWriter",
			"org.springframework.http.codec.multipart.PartHttpMessageWriter");

	private ReactiveCodecs() {
	}

	/**
	 * Finds a difference from the conversion of typed paths.
	 * @param strategies the codecs of a client
	 * @param mapper the mapper that typed paths use
	 * @return what is different, or {@code null}
	 */
	static @Nullable String difference(Object strategies, JsonMapper mapper) throws UnknownLayoutException {
		ExchangeStrategies codecs = (ExchangeStrategies) strategies;
		String ofReaders = ofReaders(codecs.messageReaders(), mapper);
		return (ofReaders != null) ? ofReaders : ofWriters(codecs.messageWriters(), mapper);
	}

	private static @Nullable String ofReaders(List<HttpMessageReader<?>> readers, JsonMapper mapper)
			throws UnknownLayoutException {
		for (HttpMessageReader<?> reader : readers) {
			if (reader.getClass() != DecoderHttpMessageReader.class) {
				if (!INDIFFERENT.contains(reader.getClass().getName())) {
					return "reader of messages " + reader.getClass().getName();
				}
				continue;
			}
			Decoder<?> decoder = ((DecoderHttpMessageReader<?>) reader).getDecoder();
			if (decoder.getClass() == JacksonJsonDecoder.class) {
				return json((JacksonJsonDecoder) decoder, reader.getReadableMediaTypes(), mapper);
			}
			if (!INDIFFERENT.contains(decoder.getClass().getName())) {
				return "decoder " + decoder.getClass().getName();
			}
		}
		return "no decoder of Jackson for JSON";
	}

	private static @Nullable String ofWriters(List<HttpMessageWriter<?>> writers, JsonMapper mapper)
			throws UnknownLayoutException {
		for (HttpMessageWriter<?> writer : writers) {
			if (writer.getClass() != EncoderHttpMessageWriter.class) {
				if (!INDIFFERENT.contains(writer.getClass().getName())) {
					return "writer of messages " + writer.getClass().getName();
				}
				continue;
			}
			Encoder<?> encoder = ((EncoderHttpMessageWriter<?>) writer).getEncoder();
			if (encoder.getClass() == JacksonJsonEncoder.class) {
				return json((JacksonJsonEncoder) encoder, writer.getWritableMediaTypes(), mapper);
			}
			if (!INDIFFERENT.contains(encoder.getClass().getName())) {
				return "encoder " + encoder.getClass().getName();
			}
		}
		return "no encoder of Jackson for JSON";
	}

	private static @Nullable String json(JacksonCodecSupport<JsonMapper> codec, List<MediaType> types,
			JsonMapper mapper) throws UnknownLayoutException {
		if (codec.getMapper() != mapper) {
			return "codecs with another JsonMapper than the application's";
		}
		if (Fields.get(codec, "mapperRegistrations") != null) {
			return "codecs with another JsonMapper for some types";
		}
		return types.contains(MediaType.APPLICATION_JSON) ? null : "codecs for JSON with media types of their own";
	}

}

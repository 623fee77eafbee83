# %%
import pandas as pd

# %%
raw = pd.read_parquet("readings.parquet")
places = pd.read_csv("places.csv", parse_dates=["installed"], index_col="sensor")
raw.head()

# %%
raw.info()

# %%
raw = raw.sort_values(["sensor", "time"]).reset_index(drop=True)
raw.head(3)

# %%
raw.describe()

# %%
raw["sensor"].nunique(), raw["time"].min(), raw["time"].max()

# %%
raw.groupby("sensor")["temperature"].apply(lambda s: s.isna().sum())

# %%
raw["temperature"] = raw.groupby("sensor")["temperature"].transform(lambda s: s.interpolate())
raw["temperature"].isna().any()

# %%
raw["temperature"] = raw["temperature"].ffill().round(2)
raw["status"] = pd.Categorical(raw["status"], categories=["ok", "warn", "fail"], ordered=True)
raw["status"].value_counts()

# %%
raw[raw["status"] >= "warn"].groupby("sensor").size()

# %%
wide = raw.pivot(index="time", columns="sensor", values="temperature")
wide.head()

# %%
wide.corr().round(2)

# %%
wide.resample("D").mean().head()

# %%
daily = raw.set_index("time").groupby("sensor")["temperature"].resample("D").agg(["min", "mean", "max"])
daily.head()

# %%
daily.loc["s03"].head(3)

# %%
daily.loc[("s01", "2024-01-02"), "mean"]

# %%
daily["mean"].unstack(level=0).idxmax()

# %%
raw["smooth"] = raw.groupby("sensor")["temperature"].rolling(6, min_periods=1).mean().reset_index(level=0, drop=True)
raw[["sensor", "time", "temperature", "smooth"]].tail()

# %%
raw["delta"] = raw.groupby("sensor")["temperature"].diff()
raw["lag"] = raw.groupby("sensor")["temperature"].shift(1)
raw[["delta", "lag"]].describe()

# %%
raw["zscore"] = raw.groupby("sensor")["temperature"].transform(lambda s: (s - s.mean()) / s.std())
(raw["zscore"].abs() > 3).sum()

# %%
raw.loc[raw["zscore"].abs() > 2.5, "status"].value_counts()

# %%
raw["hot"] = raw["temperature"].gt(25)
raw.groupby("sensor")["hot"].mean()

# %%
joined = raw.join(places, on="sensor")
joined.groupby(["floor", "room"])["humidity"].mean()

# %%
joined["age_days"] = (joined["time"] - joined["installed"]).dt.days
joined[["sensor", "age_days"]].drop_duplicates("sensor")

# %%
joined["hour"] = joined["time"].dt.hour
profile = joined.groupby("hour")[["temperature", "humidity"]].mean()
profile.loc[6:9]

# %%
profile.diff().abs().max()

# %%
one = raw[raw["sensor"] == "s00"].set_index("time")["temperature"]
one["2024-01-01 06:00":"2024-01-01 07:00"]

# %%
one.between_time("08:00", "09:00").mean(), one.at_time("12:00").head(2)

# %%
one.rolling("3h").mean().iloc[[0, 5, 50]]

# %%
one.ewm(span=12).mean().tail(3)

# %%
one.expanding().max().iloc[-1]

# %%
one.resample("12h").ohlc().head()

# %%
local = one.tz_localize("UTC").tz_convert("Europe/Berlin")
local.index[:2]

# %%
one.asfreq("30min").head(), one.resample("5min").ffill().head(3)

# %%
calendar = pd.date_range("2024-01-01", periods=7, freq="D")
pd.DataFrame({"day": calendar, "week": calendar.isocalendar().week.to_numpy()})

# %%
raw["comfort"] = raw["temperature"].between(18, 24) & raw["humidity"].lt(60)
raw.groupby("sensor")["comfort"].agg(["sum", "mean"])

# %%
grid = raw.groupby([pd.Grouper(key="time", freq="7D"), "sensor"])["battery"].last().unstack()
grid.head()

# %%
low = raw.loc[raw.groupby("sensor")["battery"].idxmin(), ["sensor", "time", "battery"]]
low

# %%
wide.to_csv("wide.csv")
pd.read_csv("wide.csv", index_col="time", parse_dates=True).equals(wide.rename_axis(columns=None))

# %%
wide[["s00", "s05"]].resample("6h").mean().plot(subplots=True)

# %%
joined.plot.scatter(x="temperature", y="humidity", s=1)
